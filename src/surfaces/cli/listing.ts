/** Long lists on the command line: whole entries up to the limit of a reply, and a word on the rest. */
import { CHARACTER_LIMIT } from "../../fit/limits.ts";
import type { Call } from "./command.ts";

/** Prints entries as they come; past the limit the rest is only counted. */
export async function printListing(call: Call, entries: AsyncIterable<string> | Iterable<string>): Promise<number> {
  const limitChars = call.values.all === true ? Number.POSITIVE_INFINITY : CHARACTER_LIMIT;
  let [total, shown, chars] = [0, 0, 0];
  for await (const entry of entries) {
    total++;
    chars += entry.length;
    if (chars > limitChars) continue;
    await call.terminal.out(entry);
    shown++;
  }
  if (shown < total) call.terminal.note(`spillway: ${shown} of ${total} entries shown; --all shows the rest.\n`);
  return total;
}
