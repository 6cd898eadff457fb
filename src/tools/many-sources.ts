/** Several fetched sources as one reply within one budget: contents share the room that the handles leave. */
import {
  type Answer,
  CONTENT_FRAME_CHARS,
  countHeadChars,
  countShownChars,
  formatBody,
  requiredNotices,
  takeWhole,
} from "../answer/answer.ts";
import { toolAudience } from "../answer/truncation.ts";
import { SpillwayError } from "../errors.ts";
import type { Bound } from "../fit/budget.ts";
import { OVERHEAD_CHARS } from "../fit/limits.ts";
import { findLargestPassing } from "../fit/measure.ts";
import { FIELDS_CHARS, measurePlainSize } from "../fit/serialized-size.ts";
import {
  ERROR_CHARS,
  LISTED_TEXT_CHARS,
  LISTED_URL_CHARS,
  PATH_CHARS,
  SHORT_NAME_CHARS,
  SHORTEST_URL_CHARS,
} from "../system/clip-lengths.ts";
import { redactUrl } from "../system/redact-url.ts";
import { clip } from "../system/safe-names.ts";
import { clipFields } from "./clip-fields.ts";
import { makeLinks, type SelectedFields } from "./fetch-tool.ts";
import type { RenderedReply } from "./tool.ts";

/** A source that was fetched, or the error. */
export type FetchOutcome = { readonly url: string } & (
  | { readonly answer: Answer<SelectedFields> }
  | { readonly error: Error }
);

type ManyOptions = {
  readonly responseId: string | null;
  readonly notes: readonly string[];
  /** What callTool says about the input, below the notes. */
  readonly inputNotes: readonly string[];
  readonly chars: number;
  readonly bound: Bound;
  /** The random word of the fence around each source. */
  readonly fenceWord: string;
};

/** The fullest form that fits: full blocks, then slimmer ones, each with as much content as there is room for. */
export function renderMany(outcomes: readonly FetchOutcome[], options: ManyOptions): RenderedReply {
  for (const form of [fullBlock, slimBlock, slimmestBlock]) {
    const bare = withBlocks(outcomes.map(blockMaker(form, options)), outcomes, options);
    const room = measureRoom(bare, options);
    if (room >= 0) return withContents(outcomes, form, options, room);
  }
  return withShortBlocks(outcomes, options);
}

/** One source in the reply: as text and as fields. */
type Block = { readonly text: string; readonly fields: Readonly<Record<string, unknown>> };

/** How a fetched source is shown. */
type Form = (answer: Answer<SelectedFields>, index: number) => Block;

/** Makes blocks, each with its share of content in characters; without a share, no content. */
function blockMaker(form: Form, { bound, fenceWord }: ManyOptions, shares: readonly number[] = []) {
  return (outcome: FetchOutcome, index: number): Block => {
    if ("error" in outcome) return errorBlock(outcome.url, outcome.error, index);
    return form({ ...outcome.answer.shorten(shares[index] ?? 0, bound), fenceWord }, index);
  };
}

function fullBlock(answer: Answer<SelectedFields>, index: number): Block {
  const { summary, notices, fields } = answer;
  const head = [`${index}. ${clip(fields.source_url, PATH_CHARS)}`, summary, ...requiredNotices(answer, toolAudience)];
  const otherNotices = takeWhole(notices, ERROR_CHARS);
  const { body } = formatBody(answer, toolAudience);
  return {
    text: [...head, ...otherNotices, ...(body === "" ? [] : [body])].join("\n"),
    fields: clipFields(fields),
  };
}

/** What is needed to continue reading, and content. */
function slimBlock(answer: Answer<SelectedFields>, index: number): Block {
  const { artifact_ref, title, next_offset, next_pages, has_more, overview, content, source_url, error } =
    answer.fields;
  const { answer: written } = answer.fields;
  const url = clip(source_url, LISTED_URL_CHARS);
  const { body } = formatBody({ ...answer, claims: [] }, toolAudience);
  const handle = artifact_ref === null ? "not kept" : `artifact_ref=${artifact_ref}`;
  const head = `${index}. ${url}${answer.nextRead === null ? ` ${handle}` : ""}`;
  return {
    text: [head, ...requiredNotices(answer, toolAudience), ...(body === "" ? [] : [body])].join("\n"),
    fields: {
      url,
      title: clip(title, LISTED_TEXT_CHARS),
      artifact_ref,
      next_offset,
      ...(next_pages && { next_pages }),
      has_more,
      ...(written && { answer: written }),
      ...(overview && { overview }),
      content,
      ...(error && { error }),
    },
  };
}

/** Without the notices that cost content: how to read on comes first. */
function slimmestBlock(answer: Answer<SelectedFields>, index: number): Block {
  return slimBlock({ ...answer, required: [] }, index);
}

function errorBlock(url: string, error: Error, index: number): Block {
  const message = clip(error.message, ERROR_CHARS);
  const { code, hint } = error instanceof SpillwayError ? error : { code: "internal", hint: "" };
  const shownUrl = clip(redactUrl(url), PATH_CHARS);
  return {
    text: `${index}. ${shownUrl}\n${message}${hint === "" ? "" : `\n${clip(hint, ERROR_CHARS)}`}`,
    fields: { url: shownUrl, error: message, code, hint: clip(hint, ERROR_CHARS) },
  };
}

/** The smallest form that still shows every handle. */
function shortBlock(outcome: FetchOutcome, index: number): Block {
  const url = clip(redactUrl(outcome.url), SHORTEST_URL_CHARS);
  if ("error" in outcome)
    return { text: `${index}. ${url} failed`, fields: { url, error: clip(outcome.error.message, SHORT_NAME_CHARS) } };
  const { artifact_ref } = outcome.answer.fields;
  return { text: `${index}. ${url} ${artifact_ref ?? "not kept"}`, fields: { url, artifact_ref, has_more: true } };
}

/** As many short blocks as fit, and the call that shows a source. */
function withShortBlocks(outcomes: readonly FetchOutcome[], options: ManyOptions): RenderedReply {
  const { responseId, notes } = options;
  const next = responseId === null ? [] : [`Read on: read_artifact responseId=${responseId} urlIndex=0`];
  const withNext = { ...options, notes: [...next, ...notes] };
  const blocks = outcomes.map(shortBlock);
  const fitting = findLargestPassing(0, blocks.length, (count) => {
    return measureRoom(withBlocks(blocks.slice(0, count), outcomes, withNext), options) >= 0;
  });
  return { ...withBlocks(blocks.slice(0, fitting), outcomes, withNext), links: [] };
}

function withBlocks(
  blocks: readonly Block[],
  outcomes: readonly FetchOutcome[],
  { responseId, notes }: ManyOptions,
): RenderedReply {
  const succeeded = outcomes.filter((each) => "answer" in each);
  const handle = responseId === null ? "" : ` responseId=${responseId}`;
  return {
    summary: `[Fetched ${succeeded.length} of ${outcomes.length} sources.${handle}]`,
    required: notes,
    notices: [],
    body: blocks.map(({ text }) => text).join(BLOCK_BREAK),
    structured: { responseId, results: blocks.map(({ fields }) => fields) },
    links: succeeded.flatMap(({ answer }) => makeLinks(answer.fields)),
    failed: succeeded.length === 0,
  };
}

const BLOCK_BREAK = "\n\n";

/** Between the head of a block and its content. */
const LINE_BREAK = "\n";

/** Characters that the reply still has room for, in both of its forms. */
function measureRoom(
  { summary, required = [], notices, body, structured }: RenderedReply,
  { inputNotes, chars }: ManyOptions,
): number {
  const headChars = countHeadChars({ summary, required: [...required, ...inputNotes], notices });
  const text = chars + OVERHEAD_CHARS - headChars - body.length;
  const fields = chars + FIELDS_CHARS - measurePlainSize({ ...structured, notes: inputNotes });
  return Math.min(chars, text, fields);
}

function withContents(
  outcomes: readonly FetchOutcome[],
  form: Form,
  options: ManyOptions,
  room: number,
): RenderedReply {
  const lengths = outcomes.map((each) => ("answer" in each ? countShownChars(each.answer) : 0));
  const frames = lengths.filter((length) => length > 0).length * (LINE_BREAK.length + CONTENT_FRAME_CHARS);
  const shares = shareRoom(lengths, room - frames);
  const reply = withBlocks(outcomes.map(blockMaker(form, options, shares)), outcomes, options);
  return form === fullBlock ? reply : { ...reply, links: [] };
}

/** Shares the room: short contents get all they need, the long ones share the rest evenly. */
export function shareRoom(lengths: readonly number[], room: number): number[] {
  const shares = lengths.map(() => 0);
  const shortestFirst = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0));
  let remaining = Math.max(0, room);
  for (const [servedCount, index] of shortestFirst.entries()) {
    const share = Math.min(lengths[index] ?? 0, Math.floor(remaining / (lengths.length - servedCount)));
    shares[index] = share;
    remaining -= share;
  }
  return shares;
}
