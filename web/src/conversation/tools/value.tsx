/** A value that some tool took or gave: a text as text, a list of alike things as a table, anything else as JSON. */
import { Code } from "../../prose/code.js";
import { type Given, isObject, text } from "../../prose/phrase.js";
import { Scrolls } from "../../prose/scrolls.js";
import { Output } from "./output.js";

/** Rows of a table; beyond, JSON can be read as well. */
const ROWS = 50;

export function Value({ value, label, path = "" }: { value: unknown; label: string; path?: string }) {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "string") return <Output text={value} label={label} />;
  const read = readable(value);
  if (read) return <Output text={read} label={path || label} />;
  if (Array.isArray(value) && isTable(value)) return <Table rows={value} label={label} />;
  return <Code code={JSON.stringify(value, null, 2)} language="json" />;
}

/** What the house's own tools give, as text: a file's content, paths, lines that were found. */
function readable(value: unknown): string {
  if (Array.isArray(value)) {
    if (!value.every((each) => isObject(each) && typeof each.content === "string")) return "";
    return value.map((each) => `── ${text(each, "path")}\n${text(each, "content")}`).join("\n");
  }
  if (!isObject(value)) return "";
  if (typeof value.content === "string") return value.content;
  if (typeof value.answer === "string") return value.answer;
  if (Array.isArray(value.entries)) return entries(value.entries);
  if (Array.isArray(value.files)) return value.files.map(found).join("\n");
  return "";
}

function found(file: unknown): string {
  if (!isObject(file)) return String(file);
  const lines = Array.isArray(file.lines) ? file.lines : [];
  return [text(file, "path"), ...lines.map((line) => `  ${String(line)}`)].join("\n");
}

function entries(all: unknown[]): string {
  return all.map((each) => (isObject(each) ? text(each, "path", "name") : String(each))).join("\n");
}

function isTable(value: unknown[]): value is Given[] {
  const names = (each: unknown) => (isObject(each) ? Object.keys(each).join() : "");
  const plain = (each: unknown) =>
    isObject(each) && Object.values(each).every((cell) => typeof cell !== "object" || cell === null);
  return (
    value.length > 0 &&
    value.length <= ROWS &&
    value.every((each) => plain(each) && names(each) === names(value[0]))
  );
}

function Table({ rows, label }: { rows: Given[]; label: string }) {
  const names = Object.keys(rows[0] ?? {});
  return (
    <Scrolls as="div" className="overflow-x-auto rounded-control border border-line" label={label}>
      <table className="w-full text-left text-xs">
        <thead className="bg-sunken text-ink-2">
          <tr>
            {names.map((name) => (
              <th key={name} scope="col" className="px-2 py-1 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, n) => (
            <tr key={n} className="border-t border-line align-top">
              {names.map((name) => (
                <td key={name} className="px-2 py-1 break-words">
                  {row[name] === null ? "" : String(row[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}

/** Arguments that no card knows better: short ones as a list, the rest as JSON. */
export function Arguments({ given }: { given: Given }) {
  const all = Object.entries(given);
  if (!all.length) return null;
  const short = all.every(([, value]) => !isLong(value));
  if (!short) return <Code code={JSON.stringify(given, null, 2)} language="json" />;
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs">
      {all.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className="font-mono break-words">
            {typeof value === "string" ? value : JSON.stringify(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const isLong = (value: unknown) =>
  typeof value === "string"
    ? value.length > 200 || value.includes("\n")
    : (JSON.stringify(value) ?? "").length > 120;
