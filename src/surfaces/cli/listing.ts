/** Prints long lists: whole entries up to the limit of a reply, then how many were left out. */
import { CHARACTER_LIMIT } from "../../fit/limits.ts";
import type { Call } from "./command.ts";

/** Characters per write: one for each entry would cost more than the entries. */
const WRITE_CHARS = 16 * 1024;

/**
 * Prints entries as they arrive, alone or in pages, and returns their number. Past the limit they are counted by `countAll`, so that a long
 * list is not read to its end; without it, one by one.
 */
export async function printListing(
  call: Call,
  entries: AsyncIterable<string | readonly string[]> | Iterable<string>,
  countAll?: () => Promise<number>,
): Promise<number> {
  const limitChars = call.values.all === true ? Number.POSITIVE_INFINITY : CHARACTER_LIMIT;
  let [totalCount, shownCount, chars, pending] = [0, 0, 0, ""];
  for await (const given of entries) {
    for (const entry of typeof given === "string" ? [given] : given) {
      totalCount++;
      chars += entry.length;
      if (chars > limitChars) continue;
      pending += entry;
      shownCount++;
    }
    if (pending.length >= WRITE_CHARS) {
      await call.terminal.out(pending);
      pending = "";
    }
    if (chars > limitChars && countAll !== undefined) {
      totalCount = Math.max(totalCount, await countAll());
      break;
    }
  }
  if (pending !== "") await call.terminal.out(pending);
  if (shownCount < totalCount)
    call.terminal.note(`spillway: ${shownCount} of ${totalCount} entries shown; --all shows the rest.\n`);
  return totalCount;
}
