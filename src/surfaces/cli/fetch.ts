/** `spillway fetch`: any source in, a bounded answer and a ref out. */
import { type Answer, answerText } from "../../answer/answer.ts";
import type { FetchFields } from "../../answer/fetch.ts";
import { sweepIfDue } from "../../artifacts/sweep.ts";
import { systemCode } from "../../errors.ts";
import { CHARACTER_LIMIT, OVERHEAD_CHARS, SMALLEST_BUDGET_CHARS } from "../../fit/limits.ts";
import { fetchSource } from "../../ingest.ts";
import type { Session } from "../../session.ts";
import type { Command } from "./command.ts";
import { charsOption, forEachInput } from "./each.ts";
import { modeOption, modeRow } from "./mode.ts";
import { jsonLine } from "./output.ts";

export const fetchCommand: Command = {
  usage: "fetch <file|-|data:>...",
  about: "Answers each source with text that fits, keeps it whole, and names its artifact_ref.",
  options: {
    "max-chars": { type: "string", value: "N", about: "Characters of content to show of each, at most 100,000." },
    mode: modeRow,
  },
  details: "With --json each line is one reply; without, all answers together stay within 100,000 characters.",
  async run(call) {
    const session = call.session();
    const options = { maxChars: charsOption(call, "max-chars"), mode: modeOption(call) };
    const reply = boundedReply();
    const status = await forEachInput(call, async (source) => {
      const turnChars = call.json ? undefined : reply.roomChars();
      const answer = await fetchSource(source, { ...options, turnChars }, session);
      await call.terminal.out(call.json ? jsonLine(answer.fields) : reply.add(answer));
    });
    if (reply.unsaid() > 0) {
      call.terminal.note(`spillway: ${reply.unsaid()} more were fetched; spillway artifacts ls lists them.\n`);
    }
    await tidyUp(session);
    return status;
  },
};

/** Housekeeping after the answer; where it cannot be done, the answer has said so or the next call will. */
async function tidyUp({ store, settings, emit }: Session): Promise<void> {
  try {
    const report = await sweepIfDue(store, settings);
    for (const { ref, reason, sizeBytes } of report?.swept ?? []) {
      emit({ event: "artifact.swept", artifact_ref: ref, reason, size_bytes: sizeBytes });
    }
  } catch (error) {
    emit({ event: "store.unavailable", code: systemCode(error) ?? "unknown" });
  }
}

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
