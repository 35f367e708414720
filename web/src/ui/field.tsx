/** A field with its label, a word about it, and what is wrong with it. */
import { type ComponentProps, type ReactNode, useId } from "react";

const LOOK =
  "w-full rounded-control border border-edge bg-surface px-2.5 text-base text-ink placeholder:text-ink-3 aria-invalid:border-bad disabled:opacity-60";

interface Around {
  label: string;
  /** The label is told to screen readers only. */
  bare?: boolean | undefined;
  about?: ReactNode;
  problem?: ReactNode;
}

export function Field({
  label,
  bare,
  about,
  problem,
  className = "",
  ...rest
}: Around & ComponentProps<"input">) {
  return (
    <Labelled {...{ label, bare, about, problem }}>
      {(own) => <input {...own} {...rest} className={`${LOOK} h-8 max-mid:h-11 ${className}`} />}
    </Labelled>
  );
}

export function TextField({
  label,
  bare,
  about,
  problem,
  className = "",
  ...rest
}: Around & ComponentProps<"textarea">) {
  return (
    <Labelled {...{ label, bare, about, problem }}>
      {(own) => <textarea {...own} {...rest} className={`${LOOK} py-1.5 ${className}`} />}
    </Labelled>
  );
}

interface Own {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

function Labelled({ label, bare, about, problem, children }: Around & { children(own: Own): ReactNode }) {
  const id = useId();
  const names = [about ? `${id}-about` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ");
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className={bare ? "sr-only" : "text-sm font-medium"}>
        {label}
      </label>
      {children({ id, "aria-describedby": names || undefined, "aria-invalid": problem ? true : undefined })}
      {about && (
        <p id={`${id}-about`} className="text-xs text-ink-2">
          {about}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}
