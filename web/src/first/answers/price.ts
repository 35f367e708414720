/** What a model costs, as a phrase. */
import type { Schema } from "../../api/http.js";
import { texts } from "../../texts/texts.js";

export function priceOf({ input_price, output_price }: Schema<"Offered">): string {
  const { first } = texts;
  if (input_price === null || output_price === null) return first.priceUnknown;
  return input_price || output_price ? first.price(dollars(input_price), dollars(output_price)) : first.free;
}

/** Dollars for a million tokens: $3, $0.25. */
function dollars(price: number): string {
  const digits = price < 0.1 ? 3 : 2;
  return `$${Number.isInteger(price) ? price : price.toFixed(digits)}`;
}
