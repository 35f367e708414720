/** Where a value comes from, in a few words. */
import type { Schema } from "../../api/http.js";
import { texts } from "../../texts/texts.js";

export type SourceName = Schema<"Setting">["source"];

/** A flag or a variable wins over the file: what is changed there would not count. */
export function isFixed(source: SourceName): boolean {
  return source === "flag" || source === "environment";
}

export function Source({ of, name }: { of: SourceName; name?: string }) {
  const variable = of === "environment" && name ? `BOTTEGA_${name.toUpperCase()}` : "";
  return (
    <span
      className={`inline-flex items-center gap-1 text-xs leading-5 whitespace-nowrap ${of === "default" ? "text-ink-3" : "rounded-[4px] border border-line px-1.5 text-ink-2"}`}
    >
      {texts.settings.sources[of]}
      {variable && <code className="font-mono text-[11px]">{variable}</code>}
    </span>
  );
}
