/** Changes of files: a unified diff as people read it, with numbers, words and colours; beside one another on request
 * where there is room. */
import { Columns2 } from "lucide-react";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { useKept } from "../studio/kept.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { CopyButton } from "./copy.js";
import { useCut } from "./cut.js";
import { Counts, File } from "./diff/file.js";
import { parseDiff } from "./diff/parse.js";
import { Plainly } from "./plainly.js";
import "./diff/diff.css";
import "./prose.css";

interface DiffProps {
  /** A unified diff, of one file or of many. */
  diff: string;
  /** The name of the file where the diff itself says none. */
  path?: string | undefined;
}

/** From here on two sides have room. */
const WIDE = 720;
/** More is not read at once: the rest is one press away. */
const MOST = 400_000;
const MOST_FILES = 40;

export const Diff = memo(function Diff({ diff, path }: DiffProps) {
  const place = useRef<HTMLDivElement>(null);
  const wide = useWide(place);
  const [split, setSplit] = useKept("prose.split", false);
  const [all, setAll] = useState(false);
  const huge = !all && diff.length > MOST;
  const files = useMemo(
    () => parseDiff(huge ? diff.slice(0, diff.lastIndexOf("\n", MOST) + 1) : diff),
    [diff, huge],
  );
  const shown = all ? files : files.slice(0, MOST_FILES);
  const more = huge || shown.length < files.length;
  useCut(more);
  const actions = (
    <>
      {wide && (
        <Button
          small
          kind="quiet"
          aria-pressed={split}
          icon={<Columns2 size={12} aria-hidden />}
          onClick={() => setSplit(!split)}
        >
          {texts.prose.split}
        </Button>
      )}
      <CopyButton text={diff} />
    </>
  );
  const one = files.length === 1;
  return (
    <div ref={place} className="prose-diff">
      {!one && (
        <div className="prose-bar">
          <span className="flex-1">{texts.prose.files(files.length)}</span>
          <Counts added={sum(files, "added")} removed={sum(files, "removed")} />
          {actions}
        </div>
      )}
      {!files.length && (
        <div className="prose-between">{diff.trim() ? <Plainly text={diff} /> : texts.prose.noChanges}</div>
      )}
      {shown.map((file, n) => (
        <File key={n} file={file} path={path} split={split && wide} actions={one && actions} />
      ))}
      {more && (
        <div className="prose-more">
          <Button small kind="quiet" onClick={() => setAll(true)}>
            {texts.prose.showRest}
          </Button>
        </div>
      )}
    </div>
  );
});

const sum = (files: { added: number; removed: number }[], of: "added" | "removed") =>
  files.reduce((total, file) => total + file[of], 0);

function useWide(place: React.RefObject<HTMLElement | null>): boolean {
  const [wide, setWide] = useState(false);
  useEffect(() => {
    if (!place.current) return;
    const watch = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= WIDE));
    watch.observe(place.current);
    return () => watch.disconnect();
  }, [place]);
  return wide;
}
