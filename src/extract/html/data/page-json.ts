/** Reading JSON that pages carry, whatever it turns out to be. */

/** The parsed value; undefined if the text is not JSON. Pages carry broken data, which is treated as absent. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
