/** What a setting is changed with: a switch, a choice, a field, or a line for each of a list. */
import { type ReactNode, useEffect, useId, useState } from "react";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Field, TextField } from "../../ui/field.js";
import { Choice, Switch } from "./choice.js";
import type { Setting } from "./values.js";

interface Props {
  setting: Setting;
  problem: string;
  busy: boolean;
  fixed: boolean;
  /** Names that are known to fit. */
  offers?: string[];
  save(value: unknown): Promise<boolean>;
}

export function Control(props: Props) {
  const { setting, problem, busy, fixed, save } = props;
  const label = texts.settings.names[setting.name] ?? setting.name;
  const around = { label, about: setting.about, problem: problem || undefined };
  if (setting.takes === "true or false") {
    return (
      <Switch
        {...around}
        on={setting.value === true}
        disabled={fixed || busy}
        onChange={(on) => void save(on)}
      />
    );
  }
  const words = setting.takes.split(", ");
  if (words.length > 1) {
    const options = setting.default === null ? ["", ...words] : words;
    return (
      <Choice
        {...around}
        value={String(setting.value ?? "")}
        options={options.map((each) => [each, each || texts.settings.nothing])}
        disabled={fixed || busy}
        onChange={(next) => void save(next || null)}
      />
    );
  }
  return <Written {...props} around={around} />;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.join("\n");
  return value === null ? "" : String(value);
}

interface Around {
  label: string;
  about: string;
  problem: ReactNode;
}

/** Typed, and kept with Enter or the button: nothing is changed by a slip. */
function Written({ setting, busy, fixed, offers, save, around }: Props & { around: Around }) {
  const stands = shown(setting.value);
  const [draft, setDraft] = useState(stands);
  const list = useId();
  useEffect(() => setDraft(stands), [stands]);
  const many = setting.takes === "a list of texts";
  const value = () => {
    if (many)
      return draft
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
    if (!draft.trim()) return null;
    return setting.takes === "text" ? draft.trim() : Number(draft);
  };
  const submit = () => void save(value());
  const common = {
    ...around,
    value: draft,
    disabled: fixed,
    onChange: (event: { target: { value: string } }) => setDraft(event.target.value),
  };
  return (
    <div className="flex flex-col gap-2">
      {many ? (
        <TextField {...common} rows={3} className="font-mono text-sm" />
      ) : (
        <Field
          {...common}
          className={setting.takes === "text" ? "" : "mid:max-w-80"}
          inputMode={setting.takes === "text" ? "text" : "decimal"}
          list={offers ? list : undefined}
          onKeyDown={(event) => {
            if (event.key === "Enter") submit();
            if (event.key === "Escape") setDraft(stands);
          }}
        />
      )}
      {offers && (
        <datalist id={list}>
          {offers.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      {draft !== stands && !fixed && (
        <div className="flex gap-2">
          <Button small kind="main" busy={busy} onClick={submit}>
            {texts.settings.save}
          </Button>
          <Button small kind="quiet" onClick={() => setDraft(stands)}>
            {texts.ui.cancel}
          </Button>
        </div>
      )}
    </div>
  );
}
