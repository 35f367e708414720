/** The settings. */
export function Settings({ part }: { part: string }) {
  return <p>{part}</p>;
}
