/** One setting: what it is, its value, where that comes from, and when a change holds. */

import { useState } from "react";
import { reason } from "../../api/http.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Control } from "./control.js";
import { isFixed, Source } from "./source.js";
import { type Setting, useChange } from "./values.js";

export function SettingRow({ setting, offers }: { setting: Setting; offers?: string[] }) {
  const { settings } = texts;
  const change = useChange();
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const fixed = isFixed(setting.source);
  const save = async (value: unknown): Promise<boolean> => {
    setBusy(true);
    setProblem("");
    try {
      await change(setting.name, value);
      return true;
    } catch (error) {
      setProblem(reason(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-col gap-1.5 border-b border-line py-3 last:border-0">
      <Control
        setting={setting}
        problem={problem}
        busy={busy}
        fixed={fixed}
        save={save}
        {...(offers ? { offers } : {})}
      />
      <div className="flex flex-wrap items-center gap-2 text-xs text-ink-3">
        <Source of={setting.source} name={setting.name} />
        <span>{fixed ? settings.fixed : setting.at_start ? settings.afterRestart : settings.fromNow}</span>
        {setting.source === "user file" && (
          <Button small kind="quiet" busy={busy} onClick={() => void save(null)}>
            {settings.toDefault(said(setting.default))}
          </Button>
        )}
      </div>
    </div>
  );
}

/** A value in words, short. */
function said(value: unknown): string {
  if (value === null || value === "" || (Array.isArray(value) && !value.length))
    return texts.settings.nothing;
  if (typeof value === "boolean") return value ? texts.settings.on : texts.settings.off;
  return Array.isArray(value) ? value.join(", ") : String(value);
}
