/** One of a few, and on or off. */
import { type ReactNode, useId } from "react";

interface Around {
  label: string;
  about?: ReactNode;
  problem?: ReactNode;
  disabled?: boolean;
}

interface ChoiceProps extends Around {
  value: string;
  options: [value: string, name: string][];
  bare?: boolean;
  onChange(next: string): void;
}

export function Choice({ label, about, problem, disabled, bare, value, options, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className={bare ? "sr-only" : "text-sm font-medium"}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        aria-describedby={about || problem ? `${id}-about` : undefined}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 w-full in-[[role=dialog]]:max-w-none! mid:max-w-80 rounded-control border border-edge bg-surface px-2 text-base text-ink disabled:opacity-60 max-mid:h-11"
      >
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
      <Below id={`${id}-about`} about={about} problem={problem} />
    </div>
  );
}

interface SwitchProps extends Around {
  on: boolean;
  onChange(on: boolean): void;
}

export function Switch({ label, about, problem, disabled, on, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <div className="min-w-0 flex-1">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        <Below id={`${id}-about`} about={about} problem={problem} />
      </div>
      <button
        id={id}
        type="button"
        role="switch"
        aria-checked={on}
        aria-describedby={about || problem ? `${id}-about` : undefined}
        disabled={disabled}
        onClick={() => onChange(!on)}
        className={`relative h-6 w-10 shrink-0 rounded-full border disabled:opacity-50 ${on ? "border-accent bg-accent" : "border-edge bg-sunken"}`}
      >
        <span
          className={`absolute top-1/2 size-4 -translate-y-1/2 rounded-full ${on ? "right-1 bg-on-accent" : "left-1 bg-edge"}`}
        />
      </button>
    </div>
  );
}

function Below({ id, about, problem }: { id: string; about: ReactNode; problem: ReactNode }) {
  if (!about && !problem) return null;
  return (
    <div id={id} className="text-xs text-ink-2">
      {about && <p>{about}</p>}
      {problem && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}
