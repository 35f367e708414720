/** A Mermaid diagram: drawn to a picture, which can neither run nor fetch anything. Its box has its size from the start,
 * so that nothing moves when it is drawn; its source is one press away. */

import { useEffect, useState } from "react";
import { reason } from "../../api/http.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { Code } from "../code.js";
import { CopyButton } from "../copy.js";
import { Scrolls } from "../scrolls.js";

type Drawn = { state: "waits" } | { state: "drawn"; url: string } | { state: "failed"; why: string };

export function Diagram({ source, open }: { source: string; open: boolean }) {
  const [asSource, setAsSource] = useState(false);
  const drawn = useDrawn(source, open);
  return (
    <figure className="prose-code" aria-label={texts.prose.diagram}>
      <figcaption className="prose-bar">
        <span className="flex-1">mermaid</span>
        {drawn.state === "drawn" && <Large url={drawn.url} />}
        <Button small kind="quiet" aria-pressed={asSource} onClick={() => setAsSource(!asSource)}>
          {texts.prose.source}
        </Button>
        <CopyButton text={source} />
      </figcaption>
      {asSource ? (
        <Code code={source} language="mermaid" streaming={open} bare />
      ) : (
        <div className="prose-diagram">
          <Picture drawn={drawn} />
        </div>
      )}
    </figure>
  );
}

function Picture({ drawn }: { drawn: Drawn }) {
  switch (drawn.state) {
    case "waits":
      return (
        <p role="status" className="text-ink-3">
          {texts.prose.drawing}
        </p>
      );
    case "drawn":
      return <img src={drawn.url} alt={texts.prose.diagram} />;
    case "failed":
      return (
        <div className="flex max-w-full min-w-0 flex-col gap-2 p-4 text-sm">
          <p className="text-bad">{texts.prose.notDrawn}</p>
          <p className="font-mono text-xs break-words whitespace-pre-wrap text-ink-2">{drawn.why}</p>
        </div>
      );
  }
}

/** In its own size, in a window: a box in the middle of a text is too small for much. */
function Large({ url }: { url: string }) {
  const [open, setOpen] = useState(false);
  const { diagram, large } = texts.prose;
  return (
    <>
      <Button small kind="quiet" onClick={() => setOpen(true)}>
        {large}
      </Button>
      <Dialog title={diagram} open={open} onClose={() => setOpen(false)} wide>
        <Scrolls as="div" label={diagram} className="overflow-x-auto text-center">
          <img src={url} alt={diagram} className="inline-block max-w-none" />
        </Scrolls>
      </Dialog>
    </>
  );
}

/** The picture of a source, drawn again when the theme changes; a blob of this page, given back when it goes. */
function useDrawn(source: string, open: boolean): Drawn {
  const [drawn, setDrawn] = useState<Drawn>({ state: "waits" });
  const theme = useTheme();
  useEffect(() => {
    if (open) return;
    let here = true;
    let url = "";
    const failed = (error: unknown) => {
      if (here) setDrawn({ state: "failed", why: reason(error) });
    };
    void import("./mermaid.js")
      .then(async ({ draw }) => {
        const svg = await draw(source, theme);
        if (!here) return;
        url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
        setDrawn({ state: "drawn", url });
      })
      .catch(failed);
    return () => {
      here = false;
      if (url) URL.revokeObjectURL(url);
    };
  }, [source, open, theme]);
  return drawn;
}

const themeNow = () => document.documentElement.dataset.theme ?? "light";

function useTheme(): string {
  const [theme, setTheme] = useState(themeNow);
  useEffect(() => {
    const watch = new MutationObserver(() => setTheme(themeNow()));
    watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => watch.disconnect();
  }, []);
  return theme;
}
