/** Files of the project. */
import type { Place } from "../place.js";
export function Files({ place }: { place: Place }) {
  return <p className="p-4">{place.name}</p>;
}
