/** `spillway fetch`: fetches any source, and prints a bounded answer and a ref. */
import { type Answer, answerText } from "../../../answer/answer.ts";
import { formatCount, formatNumber } from "../../../answer/phrases.ts";
import { commandAudience } from "../../../answer/truncation.ts";
import type { FetchFields } from "../../../contract/fetch-fields.ts";
import { makeSourceBudget } from "../../../fit/budget.ts";
import { CHARACTER_LIMIT, MIN_BUDGET_CHARS, OVERHEAD_CHARS } from "../../../fit/limits.ts";
import { fetchSource } from "../../../verbs/fetch.ts";
import { forEachInput } from "../arguments.ts";
import type { Command } from "../command.ts";
import {
  linksRow,
  maxCharsRow,
  modeRow,
  passwordRow,
  readLinks,
  readMaxChars,
  readMode,
  readText,
} from "../options.ts";
import { toJsonLine } from "../output.ts";
import { withProgressLine } from "../progress-line.ts";

export const fetchCommand: Command = {
  usage: "fetch <url|file|-|data:>...",
  examples: [
    ["fetch report.pdf", "the beginning, and a ref for the rest"],
    ["fetch https://example.com/ --max-chars 5000", "a page as Markdown, at most 5,000 characters"],
    ["fetch server.log.gz data.xlsx", "several sources within one budget"],
    ["git log -p | spillway fetch -", "what another program prints"],
  ],
  about: "Fetches each source: prints text that fits, keeps the complete source and names its artifact_ref.",
  options: {
    "max-chars": maxCharsRow,
    mode: modeRow,
    links: linksRow,
    password: passwordRow,
    clone: { type: "boolean", about: "Clone the repository at the address; its tree and README are printed." },
    "no-cache": { type: "boolean", about: "Fetch a URL again even if it is in the cache." },
  },
  details: [
    `With --json each line is one reply. Without it, all answers together stay within ${formatNumber(CHARACTER_LIMIT)} characters.`,
    "Exit status 1: a source could not be fetched, or neither its text nor its bytes could be had. A source that is kept",
    "but has no readable text is answered, and the reply says why.",
  ].join("\n"),
  async run(call) {
    const session = await call.session();
    const requested = readMaxChars(call);
    const options = {
      mode: readMode(call),
      links: readLinks(call),
      password: readText(call, "password"),
      noCache: call.values["no-cache"] === true,
      forceClone: call.values.clone === true,
    };
    const reply = createBoundedReply();
    let isLost = false;
    const status = await forEachInput(call, async (source) => {
      const turn = call.json ? undefined : reply.roomChars();
      const budget = makeSourceBudget(session.settings, { requested, turn });
      const answer = await withProgressLine(call, session, (drawing) =>
        fetchSource(source, { ...options, budget }, drawing),
      );
      await call.terminal.out(call.json ? toJsonLine(answer.fields) : reply.add(answer));
      isLost ||= hasNothing(answer.fields);
    });
    const omitted = formatCount(reply.omittedCount(), "more source");
    if (reply.omittedCount() > 0)
      call.terminal.note(`spillway: ${omitted} fetched but not shown; spillway artifacts ls lists them.\n`);
    return isLost ? 1 : status;
  },
};

/** Whether a source with content left neither text nor an artifact: the disk is full and no handler could read it. */
function hasNothing({ artifact_ref, extracted_chars, size_bytes }: FetchFields): boolean {
  return artifact_ref === null && extracted_chars === 0 && size_bytes > 0;
}

/** Makes many answers one reply: when it is nearly full, only summaries follow, and then nothing but a count. */
function createBoundedReply() {
  let [roomLeft, omitted] = [CHARACTER_LIMIT + OVERHEAD_CHARS, 0];
  return {
    roomChars: () => Math.max(MIN_BUDGET_CHARS, roomLeft - OVERHEAD_CHARS),
    omittedCount: () => omitted,
    add(answer: Answer<FetchFields>): string {
      const forms = [answer, answer.shorten(0, "turn")].map((each) => `${answerText(each, commandAudience)}\n`);
      const text = [...forms, `${answer.summary}\n`].find(({ length }) => length <= roomLeft);
      if (text === undefined) omitted++;
      roomLeft -= text?.length ?? 0;
      return text ?? "";
    },
  };
}
