/** Whether a provider takes a key: asked live, and said with what to do. */
import { useState } from "react";
import type { Schema } from "../../api/http.js";
import { useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Sign } from "../../ui/sign.js";

export type Tested = Schema<"Tested">;

export function useTesting() {
  const { http } = useStudio();
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState<Tested | null>(null);
  const test = async (name: string, key?: string): Promise<boolean> => {
    setBusy(true);
    setTold(null);
    try {
      const body = key ? { key } : {};
      const found = await http.post("/api/keys/{name}/test", { path: { name }, body });
      setTold(found);
      return found.takes;
    } catch (error) {
      setTold({ takes: false, problem: error instanceof Error ? error.message : String(error) });
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, told, test, forget: () => setTold(null) };
}

export function Told({ told }: { told: Tested | null }) {
  const { keys } = texts.settings;
  return (
    <div role="status" className="text-sm empty:-mt-3">
      {told && (
        <p className={`flex items-start gap-2 ${told.takes ? "text-good" : "text-bad"}`}>
          <span className="mt-0.5">
            <Sign of={told.takes ? "done" : "failed"} quiet />
          </span>
          <span>
            {told.takes ? keys.works(told.models ?? 0) : told.problem}
            {!told.takes && told.hint && <span className="block text-ink-2">{told.hint}</span>}
            {told.takes && told.suggested && (
              <span className="block text-ink-2">
                {keys.suggested(told.suggested.name, told.suggested.input_price, told.suggested.output_price)}
              </span>
            )}
          </span>
        </p>
      )}
    </div>
  );
}
