/** Prints long lists: whole entries up to the limit of a reply, then how many were left out. */
import { CHARACTER_LIMIT } from "../../fit/limits.ts";
import type { Call } from "./command.ts";

/** Prints entries as they arrive and returns their number. Past the limit, entries are only counted. */
export async function printListing(call: Call, entries: AsyncIterable<string> | Iterable<string>): Promise<number> {
  const limitChars = call.values.all === true ? Number.POSITIVE_INFINITY : CHARACTER_LIMIT;
  let [totalCount, shownCount, chars] = [0, 0, 0];
  for await (const entry of entries) {
    totalCount++;
    chars += entry.length;
    if (chars > limitChars) continue;
    await call.terminal.out(entry);
    shownCount++;
  }
  if (shownCount < totalCount)
    call.terminal.note(`spillway: ${shownCount} of ${totalCount} entries shown; --all shows the rest.\n`);
  return totalCount;
}
