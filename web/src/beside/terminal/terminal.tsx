/** Terminals of the project. */
import type { Place } from "../place.js";
export function Terminal({ place }: { place: Place; shown: boolean }) {
  return <p className="p-4">{place.name}</p>;
}
