/** The server has other pages by now than this one: said in a line, with the way to them. Nothing is loaded unasked. */
import { useEffect, useState } from "react";
import { useStudio } from "../studio/context.js";
import { useWatch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { useHidden } from "./hidden.js";

/** The script that this page began with, as the page names it. */
function ownScript(): string {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]');
  return script?.getAttribute("src")?.split("/").pop() ?? "";
}

async function isOld(root: string): Promise<boolean> {
  const own = ownScript();
  const page = await fetch(`${root}/`, { cache: "no-store", credentials: "same-origin" });
  const text = await page.text();
  // The page for those who are not signed in has another script: that is no new version.
  return Boolean(own) && page.ok && text.includes('id="root"') && !text.includes(own);
}

export function NewVersion() {
  const studio = useStudio();
  const connection = useWatch(studio.connection);
  const hidden = useHidden();
  const [old, setOld] = useState(false);
  // A server that comes back, and a page that is looked at again, are when it may have changed.
  useEffect(() => {
    if (connection !== "open" || hidden) return;
    isOld(studio.root).then(setOld, () => {});
  }, [connection, hidden, studio]);
  return (
    <div role="status">
      {old && (
        <p className="flex items-center justify-center gap-3 border-b border-line bg-surface px-3 py-1 text-sm">
          {texts.rooms.newVersion}
          <Button small onClick={() => location.reload()}>
            {texts.rooms.reload}
          </Button>
        </p>
      )}
    </div>
  );
}
