/** `spillway fetch`: any source in, a bounded answer and a ref out. */
import { type Answer, answerText } from "../../../answer/answer.ts";
import type { FetchFields } from "../../../answer/fetch-reply.ts";
import { grouped } from "../../../answer/phrases.ts";
import { CHARACTER_LIMIT, OVERHEAD_CHARS, SMALLEST_BUDGET_CHARS } from "../../../fit/limits.ts";
import { fetchSource } from "../../../verbs/fetch.ts";
import { forEachInput } from "../arguments.ts";
import type { Command } from "../command.ts";
import { maxCharsOption, maxCharsRow, modeOption, modeRow, passwordRow, textOption } from "../options.ts";
import { jsonLine } from "../output.ts";

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
      maxChars: maxCharsOption(call),
      mode: modeOption(call),
      password: textOption(call, "password"),
      noCache: call.values["no-cache"] === true,
    };
    const reply = boundedReply();
    const status = await forEachInput(call, async (source) => {
      const turnChars = call.json ? undefined : reply.roomChars();
      const answer = await fetchSource(source, { ...options, turnChars }, session);
      await call.terminal.out(call.json ? jsonLine(answer.fields) : reply.add(answer));
    });
    if (reply.unsaid() > 0) {
      call.terminal.note(`spillway: ${reply.unsaid()} more were fetched; spillway artifacts ls lists them.\n`);
    }
    return status;
  },
};

/** Many answers are one reply to whoever reads them: when it is nearly full, only summaries follow, then a count. */
function boundedReply() {
  let [room, unsaid] = [CHARACTER_LIMIT + OVERHEAD_CHARS, 0];
  return {
    roomChars: () => Math.max(SMALLEST_BUDGET_CHARS, room - OVERHEAD_CHARS),
    unsaid: () => unsaid,
    add(answer: Answer<FetchFields>): string {
      const fits = [`${answerText(answer)}\n`, `${answer.summary}\n`].find((text) => text.length <= room);
      if (fits === undefined) unsaid++;
      room -= fits?.length ?? 0;
      return fits ?? "";
    },
  };
}
