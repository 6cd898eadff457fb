/** `read_artifact`: a range of a kept source, by place or by question. */
import { type Answer, formatBody, requiredNotices } from "../answer/answer.ts";
import { toolAudience } from "../answer/truncation.ts";
import type { ReadFields } from "../contract/read-fields.ts";
import { type Bound, makeSourceBudget } from "../fit/budget.ts";
import { readArtifact as read } from "../verbs/read.ts";
import { clipFields } from "./clip-fields.ts";
import { readOutput } from "./output-fields.ts";
import {
  maxCharsField,
  modeField,
  offsetField,
  pagesField,
  readHints,
  refField,
  trimRef,
} from "./shared-parameters.ts";
import { defineTool, type RenderedReply } from "./tool.ts";

export const readArtifactTool = defineTool({
  name: "read_artifact",
  title: "Read a kept source",
  about:
    "Reads a part of a source that an earlier call kept, by its artifact_ref. Choose the part by one of pages, section, " +
    "lines, offset or query; without a choice it reads from the start. Every page of the complete source can be reached.",
  input: {
    artifact_ref: { ...refField, required: true },
    pages: pagesField,
    section: { type: "text", about: "The heading of the section to read.", aliases: ["heading"] },
    lines: { type: "text", about: "Lines counted from 1, such as 120-180.", aliases: ["line", "line_range"] },
    offset: offsetField,
    query: {
      type: "text",
      about: "A question: the passages that answer it, best first.",
      aliases: ["prompt", "question"],
    },
    entry: {
      type: "text",
      about: "A listed member or attachment; a!/b for an inner one.",
      aliases: ["member", "path"],
    },
    max_chars: { ...maxCharsField, aliases: [...maxCharsField.aliases, "limit"] },
    mode: modeField,
    password: {
      type: "text",
      about: "Opens an encrypted document for this call; never stored or logged.",
      secret: true,
    },
  },
  output: readOutput,
  hints: readHints,
  async run({ artifact_ref, max_chars: requested, mode = "markdown", ...part }, session) {
    const { read: budget } = makeSourceBudget(session.settings, { requested });
    const answer = await read(trimRef(artifact_ref), { ...part, mode, budget }, session);
    return {
      budget,
      render: (chars, bound) => renderRead(answer, chars, bound),
    };
  },
});

/** A read as a reply. */
export function renderRead(answer: Answer<ReadFields>, chars: number, bound: Bound): RenderedReply {
  const shortened = answer.shorten(chars, bound);
  const { summary, notices, fields } = shortened;
  return {
    summary,
    required: requiredNotices(shortened, toolAudience),
    notices,
    ...formatBody(shortened, toolAudience),
    structured: clipFields(fields),
  };
}
