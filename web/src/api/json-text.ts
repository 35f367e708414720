/** JSON in which a part stands as it was written: what JavaScript reads as a number may be another one. */

export class JsonText {
  constructor(readonly json: string) {}

  /** In place of the object that it is. */
  get asObject(): Record<string, unknown> {
    return this as unknown as Record<string, unknown>;
  }
}

/** A value as JSON, with every `JsonText` in it as it is written. */
export function toJson(value: unknown): string {
  const written: string[] = [];
  const mark = crypto.randomUUID();
  const json = JSON.stringify(value, (_, each) =>
    each instanceof JsonText ? `${mark}${written.push(each.json) - 1}` : each,
  );
  return json.replace(new RegExp(`"${mark}(\\d+)"`, "g"), (_, n: string) => written[Number(n)]!);
}
