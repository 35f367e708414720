/** Who answers as long as no model is set up, and the ways to one: the demo, what was found, a key. */
import { useState } from "react";
import { useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { DemoButton } from "../demo-button.js";
import { Found } from "./found.js";
import { KeyForm } from "./key-form.js";

export function Answers({ host }: { host: boolean }) {
  const { first } = texts;
  const studio = useStudio();
  const [named, setNamed] = useState("");
  const [writing, setWriting] = useState(false);
  return (
    <section aria-labelledby="first-answers" className="flex flex-col gap-4">
      <h3 id="first-answers" className="sr-only">
        {first.answers}
      </h3>
      <div className="flex flex-col gap-2">
        <div className="flex flex-wrap gap-2">
          <DemoButton kind={writing ? "plain" : "main"} />
          <Button onClick={() => studio.proposed.set({ text: first.guidePrompt, send: true })}>
            {first.askGuide}
          </Button>
        </div>
        <p className="max-w-[68ch] text-xs text-ink-2">{first.demoAbout}</p>
      </div>
      {host && (
        <div className="flex flex-col gap-4 rounded-panel border border-line bg-surface p-4">
          <KeyForm named={named} onWriting={setWriting} />
          <Found onKey={setNamed} />
        </div>
      )}
    </section>
  );
}
