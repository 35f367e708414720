/** A difference of two texts. */
const COLOURS: Record<string, string> = { "+": "text-good", "-": "text-bad", "@": "text-ink-3" };

export function Difference({ diff, path }: { diff: string; path: string }) {
  return (
    <pre title={path} className="max-h-96 overflow-auto rounded-control bg-sunken p-2 font-mono text-xs">
      {diff.split("\n").map((line, n) => (
        <span key={n} className={`block min-h-4 ${COLOURS[line[0] ?? ""] ?? ""}`}>
          {line}
        </span>
      ))}
    </pre>
  );
}
