/** A table that scrolls inside itself, never the page. */
import type { Tokens } from "marked";
import { texts } from "../../texts/texts.js";
import { Scrolls } from "../scrolls.js";
import { inline } from "./inline.js";

const ALIGN = { left: "text-left", center: "text-center", right: "text-right" };
const align = (cell: Tokens.TableCell) => ALIGN[cell.align ?? "left"];

export function Table({ token }: { token: Tokens.Table }) {
  return (
    <Scrolls as="div" className="prose-table" label={texts.prose.table}>
      <table>
        <thead>
          <tr>
            {token.header.map((cell, n) => (
              <th key={n} scope="col" className={align(cell)}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, n) => (
            <tr key={n}>
              {row.map((cell, at) => (
                <td key={at} className={align(cell)}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}
