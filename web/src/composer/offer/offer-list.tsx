/** The list of what is offered, over the box. */
import { texts } from "../../texts/texts.js";
import { OptionList } from "../options.js";
import type { Offers } from "./use-offers.js";

export function OfferList({ offers }: { offers: Offers }) {
  const { options, note } = offers;
  return (
    <div className="absolute inset-x-0 bottom-full z-20 mb-1 overflow-hidden rounded-panel border border-line bg-surface shadow-float">
      {options.length > 0 && (
        <OptionList
          id={offers.id}
          label={offers.label}
          options={options}
          active={offers.active}
          onActive={offers.setActive}
          onPick={offers.pick}
        />
      )}
      {note && <p className="px-3 py-2 text-xs text-ink-2">{note}</p>}
      <p role="status" className="sr-only">
        {options.length ? texts.composer.count(options.length) : note}
      </p>
    </div>
  );
}
