/**
 * The two sides of the page: each folds away, is as wide as it was drawn, and remembers both. On a narrow page a side
 * is a sheet over the conversation, which a press beside it closes.
 */
import { type PointerEvent, type ReactNode, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useCommand } from "../studio/commands.js";
import { useKept } from "../studio/kept.js";
import { texts } from "../texts/texts.js";
import { useNarrow } from "../ui/narrow.js";
import { Fence } from "../ui/problem.js";

type SideName = "rooms" | "beside";
export interface Sides {
  shown: Record<SideName, boolean>;
  toggle(side: SideName): void;
  show(side: SideName): void;
}

const WIDTHS = {
  rooms: { width: 260, least: 200, most: 420 },
  beside: { width: 380, least: 280, most: 900 },
};
/** Narrower than this a side is a sheet. */
const SHEET = { rooms: 720, beside: 1100 };

export function useSides(): Sides {
  const [rooms, setRooms] = useKept("rooms.shown", true);
  const [beside, setBeside] = useKept("beside.shown", true);
  const [sheet, setSheet] = useState<SideName | "">("");
  const [path] = useLocation();
  // Whoever went somewhere from a sheet wants to see it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only going elsewhere closes it
  useEffect(() => setSheet(""), [path]);
  const sheets = { rooms: useNarrow(SHEET.rooms), beside: useNarrow(SHEET.beside) };
  const shown = {
    rooms: sheets.rooms ? sheet === "rooms" : rooms,
    beside: sheets.beside ? sheet === "beside" : beside,
  };
  const toggle = (side: SideName) => {
    if (sheets[side]) setSheet(sheet === side ? "" : side);
    else if (side === "rooms") setRooms(!rooms);
    else setBeside(!beside);
  };
  const { app } = texts;
  useCommand({
    id: "rooms",
    title: shown.rooms ? app.hideRooms : app.showRooms,
    group: "view",
    keys: "Mod+B",
    run: () => toggle("rooms"),
  });
  useCommand({
    id: "beside",
    title: shown.beside ? app.hideBeside : app.showBeside,
    group: "view",
    keys: "Mod+J",
    run: () => toggle("beside"),
  });
  useCommand(
    sheet
      ? {
          id: "sheet",
          title: texts.ui.close,
          group: "view",
          keys: "Escape",
          hidden: true,
          run: () => setSheet(""),
        }
      : null,
  );
  const show = (side: SideName) => !shown[side] && toggle(side);
  return { shown, toggle, show };
}

export function Side({ of, sides, children }: { of: SideName; sides: Sides; children: ReactNode }) {
  const { width: usual, least, most } = WIDTHS[of];
  const [width, setWidth] = useKept(`${of}.width`, usual);
  const narrow = useNarrow(SHEET[of]);
  const label = of === "rooms" ? texts.app.sessions : texts.app.beside;
  if (!sides.shown[of]) return null;
  const clamp = (next: number) => setWidth(Math.min(most, Math.max(least, next)));
  const drag = (event: PointerEvent) => {
    if (!(event.buttons & 1)) return;
    clamp(of === "rooms" ? event.clientX : innerWidth - event.clientX);
  };
  const edge = of === "rooms" ? "right-0 translate-x-1/2" : "left-0 -translate-x-1/2";
  const place = narrow
    ? `fixed inset-y-0 z-30 shadow-float ${of === "rooms" ? "left-0" : "right-0"}`
    : "relative";
  return (
    <>
      {narrow && (
        <button
          type="button"
          aria-label={texts.ui.close}
          className="fixed inset-0 z-20 bg-ink/30"
          onClick={() => sides.toggle(of)}
        />
      )}
      <aside
        aria-label={label}
        style={{ width: narrow ? `min(${Math.max(width, 320)}px, calc(100vw - 44px))` : width }}
        className={`flex shrink-0 flex-col bg-surface ${of === "rooms" ? "border-r" : "border-l"} border-line ${place}`}
      >
        <Fence name={label}>{children}</Fence>
        {!narrow && (
          // biome-ignore lint/a11y/useSemanticElements: a separator that is moved is no <hr>
          <div
            role="separator"
            aria-orientation="vertical"
            aria-label={label}
            aria-valuenow={width}
            aria-valuemin={least}
            aria-valuemax={most}
            tabIndex={0}
            onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={drag}
            onKeyDown={(event) => {
              const step = { ArrowLeft: -16, ArrowRight: 16 }[event.key];
              if (step) clamp(width + (of === "rooms" ? step : -step));
            }}
            className={`absolute inset-y-0 z-10 w-2 cursor-col-resize touch-none hover:bg-accent/20 ${edge}`}
          />
        )}
      </aside>
    </>
  );
}
