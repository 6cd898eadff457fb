/** `read_artifact`: a range of a kept source, by place or by question; or what is stored under a responseId. */
import { type Answer, formatBody, requiredNotices } from "../answer/answer.ts";
import { toolAudience } from "../answer/truncation.ts";
import { findResponse, type ResponseEntry } from "../artifacts/responses.ts";
import type { ReadFields } from "../contract/read-fields.ts";
import { SpillwayError } from "../errors.ts";
import { type LinkStyle, linkStyles, type Mode, modes } from "../extract/handler.ts";
import { type Bound, makeSourceBudget } from "../fit/budget.ts";
import { readArtifact as read } from "../verbs/read.ts";
import { clipFields } from "./clip-fields.ts";
import { storedOutput } from "./output-fields.ts";
import type { Input } from "./parameters.ts";
import {
  linksField,
  maxCharsField,
  modeField,
  offsetField,
  pagesField,
  readHints,
  refField,
  responseIdField,
  trimRef,
  urlIndexField,
} from "./shared-parameters.ts";
import { chooseEntries, describeStored, draftListing, nothingStoredError } from "./stored-entries.ts";
import { defineTool, type RenderedReply, type ReplyDraft, type ToolSession } from "./tool.ts";

const fields = {
  artifact_ref: refField,
  responseId: responseIdField,
  urlIndex: urlIndexField,
  pages: pagesField,
  section: { type: "text", about: "The heading of the section.", aliases: ["heading"] },
  lines: { type: "text", about: "Such as 120-180.", aliases: ["line", "line_range"] },
  rows: { type: "text", about: "Rows of a table: 100-120." },
  path: { type: "text", about: "Place in JSON, XML, YAML: $.a[3]." },
  offset: offsetField,
  query: {
    type: "text",
    about: "A question: the passages that answer it; or SQL for SQLite.",
    aliases: ["prompt", "question"],
  },
  entry: { type: "text", about: "A listed member or attachment; a!/b for an inner one.", aliases: ["member"] },
  max_chars: { ...maxCharsField, aliases: [...maxCharsField.aliases, "limit"] },
  mode: modeField,
  links: linksField,
  password: { type: "text", about: "Opens an encrypted document; never stored.", secret: true },
} as const;

export const readArtifactTool = defineTool({
  name: "read_artifact",
  title: "Read more of a kept source",
  about:
    "Spillway reads on in a source that an earlier call kept, by artifact_ref or responseId: the next part of a truncated " +
    "or cut off result (offset), another page of a document, lines, a section by heading, or a search inside it for the " +
    "passage that answers a question. Also a member of an archive, an attachment of an email, or a password protected file.",
  input: fields,
  output: storedOutput,
  hints: readHints,
  isCore: true,
  async run(input, session) {
    const handle = requireHandle(input);
    return handle.startsWith("rs_") ? readResponse(handle, input, session) : readKept(handle, input, session);
  },
});

type ReadInput = Input<typeof fields>;

/** The form of a handle says what it is, whichever parameter holds it. */
function requireHandle({ artifact_ref, responseId }: ReadInput): string {
  const handle = artifact_ref ?? responseId;
  if (handle !== undefined) return trimRef(handle);
  throw new SpillwayError("usage", "artifact_ref is missing.", {
    hint: "Send the artifact_ref (af_...) or the responseId (rs_...) of an earlier reply.",
  });
}

async function readKept(
  ref: string,
  { artifact_ref, responseId, urlIndex, max_chars: requested, mode = "markdown", ...part }: ReadInput,
  session: ToolSession,
  extraFields: Readonly<Record<string, unknown>> = {},
): Promise<ReplyDraft> {
  const { read: budget } = makeSourceBudget(session.settings, { requested });
  const answer = await read(ref, { ...part, mode, budget }, session);
  return {
    budget,
    render(chars, bound) {
      const rendered = renderRead(answer, chars, bound);
      return { ...rendered, structured: { ...extraFields, ...rendered.structured } };
    },
  };
}

/** One stored source, read like any other; the list where there are several and none was chosen. */
async function readResponse(id: string, input: ReadInput, session: ToolSession): Promise<ReplyDraft> {
  const { responseId, entries } = await findResponse(session.store, id);
  const [first, ...others] = chooseEntries(entries, { urlIndex: input.urlIndex });
  if (first === undefined || others.length > 0) {
    return draftListing(responseId, [...(first === undefined ? [] : [first]), ...others], session);
  }
  const { entry } = first;
  if (entry.artifact_ref === null) throw nothingStoredError(entry);
  const asStored = { ...input, mode: input.mode ?? findMode(entry), links: input.links ?? findLinks(entry) };
  return readKept(entry.artifact_ref, asStored, session, describeStored(responseId, entry));
}

/** The mode that offsets of a stored source refer to. */
export function findMode({ mode }: ResponseEntry): Mode {
  return modes.find((each) => each === mode) ?? "markdown";
}

/** The style of links that offsets of a stored source refer to. */
export function findLinks({ links }: ResponseEntry): LinkStyle {
  return linkStyles.find((each) => each === links) ?? "inline";
}

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
