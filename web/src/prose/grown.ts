/** Whether a text goes on from another. `startsWith` walks letter by letter; comparing two strings does not. */
export function goesOn(text: string, from: string): boolean {
  return (
    text.length >= from.length && (from.length === text.length ? text : text.slice(0, from.length)) === from
  );
}
