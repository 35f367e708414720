/** A title that is being changed, in its place: Enter keeps it, Esc does not. */
import { useEffect, useRef } from "react";
import { texts } from "../../texts/texts.js";
import { Field } from "../../ui/field.js";

const LONGEST = 200;

export function Rename({ title, onDone }: { title: string; onDone(next: string | null): void }) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.select(), []);
  return (
    <Field
      ref={box}
      label={texts.rooms.title}
      bare
      autoFocus
      defaultValue={title}
      maxLength={LONGEST}
      className="pl-[29px] text-sm"
      onBlur={(event) => onDone(event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.key === "Enter") onDone(event.currentTarget.value.trim());
        else if (event.key === "Escape") onDone(null);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}
