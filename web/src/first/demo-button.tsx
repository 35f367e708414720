/** Begins the demo, and shows it. */
import { Play } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useStudio } from "../studio/context.js";
import { texts } from "../texts/texts.js";
import { Button, type Kind } from "../ui/button.js";
import { sayProblem } from "../ui/toasts.js";

export function DemoButton({ kind = "plain" }: { kind?: Kind }) {
  const studio = useStudio();
  const [, go] = useLocation();
  const [busy, setBusy] = useState(false);
  const begin = async () => {
    setBusy(true);
    try {
      const { id } = await studio.http.post("/api/demo");
      await studio.openSession(id);
      go(`/sessions/${id}`);
    } catch (error) {
      sayProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      kind={kind}
      busy={busy}
      icon={<Play size={14} aria-hidden />}
      title={texts.first.demoAbout}
      onClick={() => void begin()}
    >
      {texts.first.demo}
    </Button>
  );
}
