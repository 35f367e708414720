/** A field with its label, a word about it, and what is wrong with it. */
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useId,
} from "react";

const LOOK =
  "w-full rounded-control border border-edge bg-surface px-2.5 text-base text-ink placeholder:text-ink-3 aria-invalid:border-bad disabled:opacity-60";

interface Around {
  label: string;
  /** The label is told to screen readers only. */
  bare?: boolean;
  about?: ReactNode;
  problem?: ReactNode;
}

export function Field({
  label,
  bare,
  about,
  problem,
  className = "",
  ref,
  ...rest
}: Around & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  const id = useId();
  return (
    <Labelled id={id} label={label} bare={bare ?? false} about={about} problem={problem}>
      <input
        ref={ref}
        id={id}
        {...described(id, about, problem)}
        {...rest}
        className={`${LOOK} h-8 max-mid:h-11 ${className}`}
      />
    </Labelled>
  );
}

export function TextField({
  label,
  bare,
  about,
  problem,
  className = "",
  ref,
  ...rest
}: Around & TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) {
  const id = useId();
  return (
    <Labelled id={id} label={label} bare={bare ?? false} about={about} problem={problem}>
      <textarea
        ref={ref}
        id={id}
        {...described(id, about, problem)}
        {...rest}
        className={`${LOOK} py-1.5 ${className}`}
      />
    </Labelled>
  );
}

function described(id: string, about: ReactNode, problem: ReactNode) {
  const names = [about ? `${id}-about` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ");
  return { "aria-describedby": names || undefined, "aria-invalid": problem ? true : undefined };
}

function Labelled({
  id,
  label,
  bare,
  about,
  problem,
  children,
}: Required<Pick<Around, "label" | "bare">> & Around & { id: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className={bare ? "sr-only" : "text-sm font-medium"}>
        {label}
      </label>
      {children}
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
