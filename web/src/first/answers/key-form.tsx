/** One field for a key: it says whose it is, tests it, and says which model answers then and what that costs. */
import { KeyRound } from "lucide-react";
import { useEffect, useRef } from "react";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Field } from "../../ui/field.js";
import { KeyOutcome } from "./key-outcome.js";
import { useKey } from "./use-key.js";

interface Props {
  /** Whose key is asked for. */
  named: string;
  /** A key stands there, so that to test it is the one thing to do. */
  onWriting(now: boolean): void;
}

export function KeyForm({ named, onWriting }: Props) {
  const { first } = texts;
  const key = useKey();
  const field = useRef<HTMLInputElement>(null);
  const { setProvider, whose, state } = key;
  useEffect(() => {
    if (!named) return;
    setProvider(named);
    field.current?.focus();
  }, [named, setProvider]);
  const writing = whose !== null;
  useEffect(() => onWriting(writing), [writing, onWriting]);
  const testing = state.at === "testing";
  const done = state.at === "taken" || state.at === "untested";
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (key.provider && key.key && !testing) void key.test();
      }}
    >
      {!done && (
        <Field
          ref={field}
          label={first.key}
          about={first.keyAbout}
          placeholder={first.keyPlaceholder}
          type="password"
          autoComplete="off"
          spellCheck={false}
          maxLength={10_000}
          value={key.key}
          disabled={testing}
          onChange={(event) => key.write(event.target.value)}
          className="font-mono"
        />
      )}
      {whose && !done && (
        <div className="flex flex-wrap items-end gap-3">
          <label className="flex min-w-52 flex-1 flex-col gap-1 text-sm font-medium">
            {first.whose}
            <select
              value={key.provider}
              disabled={testing}
              onChange={(event) => setProvider(event.target.value)}
              className="h-8 rounded-control border border-edge bg-surface px-2 text-base font-normal max-mid:h-11"
            >
              <option value="">{first.choose}</option>
              {[...whose.fits, ...whose.others].map((name) => (
                <option key={name} value={name}>
                  {first.provider(name)}
                </option>
              ))}
            </select>
          </label>
          <Button
            type="submit"
            kind="main"
            busy={testing}
            disabled={!key.provider}
            icon={<KeyRound size={14} aria-hidden />}
          >
            {first.test(key.provider)}
          </Button>
        </div>
      )}
      <div aria-live="polite" className="empty:-mt-3">
        {whose && state.at === "writing" && <p className="text-xs text-ink-2">{likely(whose.fits)}</p>}
        <KeyOutcome
          state={state}
          provider={key.provider}
          onCancel={key.cancel}
          onKeep={() => void key.keepAnyway()}
          onAnother={() => {
            void key.renew();
            key.write("");
          }}
          onDone={() => void key.renew()}
        />
      </div>
    </form>
  );
}

function likely(fits: string[]): string {
  const { first } = texts;
  if (fits.length > 1) return first.couldBe(fits);
  return fits[0] ? first.looksLike(fits[0]) : first.unknownKey;
}
