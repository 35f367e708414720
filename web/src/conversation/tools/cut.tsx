/** A text on one line that loses its middle first: of a path the file's name stays. */
export function Cut({ text, path = false, mono = true }: { text: string; path?: boolean; mono?: boolean }) {
  const at = path ? text.lastIndexOf("/") : -1;
  const head = at > 0 ? text.slice(0, at) : text;
  const tail = at > 0 ? text.slice(at) : "";
  return (
    <span className={`flex w-full min-w-0 ${mono ? "font-mono text-xs" : ""}`} title={text}>
      <span className={`truncate ${tail ? "min-w-[2ch] shrink-[999]" : "min-w-0"}`}>{head}</span>
      {tail && <span className="min-w-0 truncate">{tail}</span>}
    </span>
  );
}
