/** `spillway read`: a part of a kept artifact, by place or by question. */
import { answerText } from "../../../answer/answer.ts";
import { SpillwayError } from "../../../errors.ts";
import { readArtifact } from "../../../verbs/read.ts";
import { requireAtMost } from "../arguments.ts";
import type { Command } from "../command.ts";
import { maxCharsOption, maxCharsRow, modeOption, modeRow, passwordRow, textOption } from "../options.ts";
import { jsonLine } from "../output.ts";

export const readCommand: Command = {
  usage: "read <artifact_ref>",
  about: "Shows the asked part of an artifact with its places and totals; without a choice, its beginning.",
  options: {
    lines: { type: "string", value: "A-B", about: "Lines A to B, counted from 1." },
    offset: { type: "string", value: "N", about: "From character N on; a cut reply names the next offset." },
    pages: { type: "string", value: "A-B,C", about: "Pages, sheets or slides." },
    section: { type: "string", value: "HEADING", about: "The section under a heading." },
    query: { type: "string", value: "WORDS", about: "The passages that answer a question, best first." },
    "max-chars": maxCharsRow,
    mode: modeRow,
    password: passwordRow,
  },
  async run(call) {
    requireAtMost(1, call);
    const [ref] = call.args;
    if (ref === undefined) {
      throw new SpillwayError("usage", "read takes one artifact_ref.", { hint: "spillway artifacts ls lists them." });
    }
    const choice = (name: string) => textOption(call, name);
    const options = {
      lines: choice("lines"),
      offset: choice("offset"),
      pages: choice("pages"),
      section: choice("section"),
      query: choice("query"),
      maxChars: maxCharsOption(call),
      mode: modeOption(call),
      password: choice("password"),
    };
    const answer = await readArtifact(ref, options, await call.session());
    await call.terminal.out(call.json ? jsonLine(answer.fields) : `${answerText(answer)}\n`);
    return 0;
  },
};
