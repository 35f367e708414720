/** Files by a few letters of their paths; without any, the tree. */
import { File, Folder, Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useDeferredValue, useRef, useState } from "react";
import { useAnswer } from "../../../studio/context.js";
import { texts } from "../../../texts/texts.js";
import { Field } from "../../../ui/field.js";
import type { Disk } from "../disk.js";

interface Props {
  disk: Disk;
  onOpen(path: string): void;
  /** At the end of the field's line. */
  beside: ReactNode;
  /** What stands there while nothing is searched. */
  children: ReactNode;
}

const MOST = 100;

export function Finder({ disk, onOpen, beside, children }: Props) {
  const { files } = texts.beside;
  const [letters, setLetters] = useState("");
  const [n, setN] = useState(0);
  const wanted = useDeferredValue(letters.trim());
  const field = useRef<HTMLInputElement>(null);
  const { data, error } = useAnswer(
    ["files", disk.projectId, "find", wanted],
    (_, signal) => disk.find(wanted, MOST, signal),
    { enabled: wanted !== "" },
  );
  const found = data?.found ?? [];
  /** A folder leads on into it. */
  const choose = ({ path, kind }: { path: string; kind: string }) => {
    setLetters(kind === "folder" ? `${path}/` : "");
    setN(0);
    if (kind !== "folder") onOpen(path);
  };
  const key = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) setN((n + step + found.length) % found.length);
    else if (event.key === "Enter" && found[n]) choose(found[n]);
    else if (event.key === "Escape" && letters) setLetters("");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div className="flex shrink-0 items-center gap-1 px-2 pt-2 pb-1">
        <div className="relative min-w-0 flex-1">
          <Search size={14} aria-hidden className="absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-3" />
          <Field
            ref={field}
            bare
            role="combobox"
            aria-expanded={Boolean(letters.trim())}
            aria-controls="files-found"
            aria-activedescendant={found[n] ? `found-${n}` : undefined}
            autoComplete="off"
            spellCheck={false}
            label={files.find}
            placeholder={files.find}
            title={files.findHint}
            value={letters}
            className="pl-8 text-sm"
            onChange={(event) => {
              setLetters(event.target.value);
              setN(0);
            }}
            onKeyDown={key}
          />
        </div>
        {beside}
      </div>
      <p role="status" className="sr-only">
        {wanted && data ? files.found(found.length) : ""}
      </p>
      {letters.trim() === "" ? (
        children
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto py-1">
          <div id="files-found" role="listbox" aria-label={files.find}>
            {found.map(({ path, kind }, each) => {
              const cut = path.lastIndexOf("/") + 1;
              const Icon = kind === "folder" ? Folder : File;
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the field
                // biome-ignore lint/a11y/useFocusableInteractive: keys act on the field
                <div
                  key={path}
                  id={`found-${each}`}
                  role="option"
                  aria-selected={each === n}
                  aria-label={path}
                  onClick={() => choose({ path, kind })}
                  className="flex h-7 cursor-default items-center gap-1.5 px-3 text-sm hover:bg-sunken aria-selected:bg-sunken max-mid:h-11"
                >
                  <Icon size={15} aria-hidden className="shrink-0 text-ink-3" />
                  <span className="max-w-full shrink-0 truncate">{path.slice(cut)}</span>
                  <span className="min-w-0 flex-1 truncate text-xs text-ink-3">{path.slice(0, cut)}</span>
                </div>
              );
            })}
          </div>
          {error && <p className="px-4 py-2 text-sm text-bad">{error.message}</p>}
          {data && !found.length && <p className="px-4 py-2 text-sm text-ink-3">{files.notFound}</p>}
          {data && !data.whole && <p className="px-4 py-2 text-xs text-ink-3">{files.notWhole}</p>}
        </div>
      )}
    </>
  );
}
