/** Leaves out single slides and sheets that are damaged, so that the others are read. */
import { FailureError } from "../failure-error.ts";
import type { ExtractItem, SegmentKind } from "../handler.ts";

/** What `read` returns, or undefined if the part is damaged. Any other failure ends the document. */
export async function tryPart<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

export const isDamage = (error: unknown): boolean => error instanceof FailureError && error.reason === "corrupt";

/** An empty segment in its place. */
export function makeDamagedItem(kind: SegmentKind, index: number, label: string): ExtractItem {
  return { segment: { index, kind, label, text: "", marks: [] }, note: { verdict: "damaged" } };
}
