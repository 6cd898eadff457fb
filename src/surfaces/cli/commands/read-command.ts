/** `spillway read`: reads part of an artifact, chosen by place or by question. */
import { answerText } from "../../../answer/answer.ts";
import { commandAudience } from "../../../answer/truncation.ts";
import { requireRef } from "../../../artifacts/ref.ts";
import { SpillwayError } from "../../../errors.ts";
import { PATH_CHARS } from "../../../system/clip-lengths.ts";
import { redactUrl } from "../../../system/redact-url.ts";
import { clip } from "../../../system/safe-names.ts";
import { readArtifact } from "../../../verbs/read.ts";
import { checkArguments } from "../arguments.ts";
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

export const readCommand: Command = {
  usage: "read <artifact_ref>",
  examples: [
    ["read af_... --query 'what if the power fails'", "the passages that answer"],
    ["read af_... --pages 3-5", "pages of a document"],
    ["read af_... --offset 30000", "where a reply ended"],
  ],
  about:
    "Shows the selected part of an artifact with its place and the totals. Without a selector, shows the beginning.",
  options: {
    lines: { type: "string", value: "A-B", about: "Lines A to B, counted from 1." },
    offset: { type: "string", value: "N", about: "From character N on. A truncated reply names the next offset." },
    pages: { type: "string", value: "A-B,C", about: "Pages, sheets or slides." },
    section: { type: "string", value: "HEADING", about: "The section under this heading." },
    rows: { type: "string", value: "A-B", about: "Rows of CSV, TSV or NDJSON, counted from 1 after the header." },
    path: { type: "string", value: "PATH", about: "A value of JSON, XML or YAML, such as $.items[3]." },
    query: { type: "string", value: "WORDS", about: "The passages that answer a question, best first." },
    entry: { type: "string", value: "PATH", about: "A member of an archive or an attachment, as it is listed." },
    "max-chars": maxCharsRow,
    mode: modeRow,
    links: linksRow,
    password: passwordRow,
  },
  async run(call) {
    checkArguments(1, call);
    const [ref] = call.args;
    if (ref === undefined) {
      throw new SpillwayError("usage", "read takes one artifact_ref.", { hint: "spillway artifacts ls lists them." });
    }
    await requireRefForm(ref);
    const option = (name: string) => readText(call, name);
    const options = {
      lines: option("lines"),
      offset: option("offset"),
      pages: option("pages"),
      section: option("section"),
      rows: option("rows"),
      path: option("path"),
      query: option("query"),
      entry: option("entry"),
      maxChars: readMaxChars(call),
      mode: readMode(call),
      links: readLinks(call),
      password: option("password"),
    };
    const answer = await withProgressLine(call, await call.session(), (session) => readArtifact(ref, options, session));
    await call.terminal.out(call.json ? toJsonLine(answer.fields) : `${answerText(answer, commandAudience)}\n`);
    return 0;
  },
};

/** Says what to do with a word that cannot be a ref: a file, a URL, or a part of a ref. */
async function requireRefForm(word: string): Promise<void> {
  try {
    requireRef(word);
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    const hint = word.startsWith("af_")
      ? "A ref is af_ and 32 hex digits; spillway artifacts ls lists those that exist."
      : `A ref is af_ and 32 hex digits. ${await suggestFetch(word)}`;
    throw new SpillwayError(error.code, error.message, { hint, cause: error });
  }
}

/** The command to paste; none where the word cannot be shown as it is, or would be taken for an option. */
async function suggestFetch(word: string): Promise<string> {
  const isShown = clip(redactUrl(word), PATH_CHARS) === word && !/^-./.test(word);
  if (!isShown) return "spillway fetch reads files and URLs.";
  const { quoteShellWord } = await import("../../../system/shell-word.ts");
  return `To read a file or a URL: spillway fetch ${quoteShellWord(word)}`;
}
