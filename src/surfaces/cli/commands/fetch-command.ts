/** `spillway fetch`: any source in, a bounded answer and a ref out. */
import { type Answer, answerText } from "../../../answer/answer.ts";
import type { FetchFields } from "../../../answer/fetch-reply.ts";
import { grouped } from "../../../answer/phrases.ts";
import { CHARACTER_LIMIT, OVERHEAD_CHARS, SMALLEST_BUDGET_CHARS } from "../../../fit/limits.ts";
import { fetchSource } from "../../../verbs/fetch.ts";
import { forEachInput } from "../arguments.ts";
import type { Command } from "../command.ts";
import { maxCharsRow, modeRow, passwordRow, readMaxChars, readMode, readText } from "../options.ts";
import { toJsonLine } from "../output.ts";

export const fetchCommand: Command = {
  usage: "fetch <url|file|-|data:>...",
  about: "Answers each source with text that fits, keeps it whole, and names its artifact_ref.",
  options: {
    "max-chars": maxCharsRow,
    mode: modeRow,
    password: passwordRow,
    "no-cache": { type: "boolean", about: "Fetch a URL anew although it was fetched before." },
  },
  details: `With --json each line is one reply; without, all answers together stay within ${grouped(CHARACTER_LIMIT)} characters.`,
  async run(call) {
    const session = await call.session();
    const options = {
      maxChars: readMaxChars(call),
      mode: readMode(call),
      password: readText(call, "password"),
      noCache: call.values["no-cache"] === true,
    };
    const reply = createBoundedReply();
    const status = await forEachInput(call, async (source) => {
      const turnChars = call.json ? undefined : reply.roomChars();
      const answer = await fetchSource(source, { ...options, turnChars }, session);
      await call.terminal.out(call.json ? toJsonLine(answer.fields) : reply.add(answer));
    });
    if (reply.omitted() > 0) {
      call.terminal.note(`spillway: ${reply.omitted()} more were fetched; spillway artifacts ls lists them.\n`);
    }
    return status;
  },
};

/** Many answers are one reply to whoever reads them: when it is nearly full, only summaries follow, then a count. */
function createBoundedReply() {
  let [roomLeft, omittedCount] = [CHARACTER_LIMIT + OVERHEAD_CHARS, 0];
  return {
    roomChars: () => Math.max(SMALLEST_BUDGET_CHARS, roomLeft - OVERHEAD_CHARS),
    omitted: () => omittedCount,
    add(answer: Answer<FetchFields>): string {
      const text = [`${answerText(answer)}\n`, `${answer.summary}\n`].find((text) => text.length <= roomLeft);
      if (text === undefined) omittedCount++;
      roomLeft -= text?.length ?? 0;
      return text ?? "";
    },
  };
}
