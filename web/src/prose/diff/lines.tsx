/** The rows of a hunk, one line under the other or side by side. Added and removed is said by a sign and a word too. */
import { UnfoldVertical } from "lucide-react";
import { memo, useState } from "react";
import { texts } from "../../texts/texts.js";
import type { Span } from "../highlight.js";
import type { Marked, Row } from "./rows.js";
import { LineText } from "./text.js";

/** The colours of a line, by its numbers. */
export type Paint = (line: Marked) => Span[] | undefined;

const SIGNS = { added: "+", removed: "−", same: " ", word: " " };
const WORDS = { added: texts.prose.addedLine, removed: texts.prose.removedLine, same: "", word: "" };

export const Rows = memo(function Rows({
  rows,
  paint,
  split,
}: {
  rows: Row[];
  paint: Paint;
  split: boolean;
}) {
  return rows.map((row, n) => <RowView key={n} row={row} paint={paint} split={split} />);
});

function RowView({ row, paint, split }: { row: Row; paint: Paint; split: boolean }) {
  if (row.kind === "fold") return <Fold lines={row.lines} paint={paint} split={split} />;
  if (row.kind === "pair") {
    return (
      <tr>
        <Side line={row.before} number={row.before?.before} paint={paint} />
        <Side line={row.after} number={row.after?.after} paint={paint} />
      </tr>
    );
  }
  return split ? <Both line={row.line} paint={paint} /> : <One line={row.line} paint={paint} />;
}

function One({ line, paint }: { line: Marked; paint: Paint }) {
  if (line.kind === "word") return <Word line={line} columns={3} />;
  return (
    <tr data-kind={line.kind}>
      <td className="prose-no">{line.before}</td>
      <td className="prose-no">{line.after}</td>
      <Text line={line} paint={paint} />
    </tr>
  );
}

function Both({ line, paint }: { line: Marked; paint: Paint }) {
  if (line.kind === "word") return <Word line={line} columns={4} />;
  return (
    <tr>
      <Side line={line} number={line.before} paint={paint} />
      <Side line={line} number={line.after} paint={paint} />
    </tr>
  );
}

function Side({
  line,
  number,
  paint,
}: {
  line: Marked | null;
  number?: number | null | undefined;
  paint: Paint;
}) {
  if (!line) {
    return (
      <>
        <td className="prose-no" data-kind="none" />
        <td data-kind="none" />
      </>
    );
  }
  return (
    <>
      <td className="prose-no" data-kind={line.kind}>
        {number}
      </td>
      <Text line={line} paint={paint} />
    </>
  );
}

function Text({ line, paint }: { line: Marked; paint: Paint }) {
  return (
    <td className="prose-line" data-kind={line.kind}>
      <span className="prose-sign" aria-hidden>
        {SIGNS[line.kind]}
      </span>
      {WORDS[line.kind] && <span className="sr-only">{WORDS[line.kind]}: </span>}
      <LineText text={line.text} spans={paint(line)} marks={line.marks} />
    </td>
  );
}

function Word({ line, columns }: { line: Marked; columns: number }) {
  return (
    <tr>
      <td colSpan={columns} className="prose-between">
        {line.text}
      </td>
    </tr>
  );
}

function Fold({ lines, paint, split }: { lines: Marked[]; paint: Paint; split: boolean }) {
  const [open, setOpen] = useState(false);
  if (open) {
    return <Rows rows={lines.map((line): Row => ({ kind: "line", line }))} paint={paint} split={split} />;
  }
  return (
    <tr>
      <td colSpan={split ? 4 : 3} className="prose-between">
        <button type="button" aria-expanded={false} onClick={() => setOpen(true)}>
          <UnfoldVertical size={12} aria-hidden className="mr-1.5 inline" />
          {texts.prose.unchanged(lines.length)}
        </button>
      </td>
    </tr>
  );
}
