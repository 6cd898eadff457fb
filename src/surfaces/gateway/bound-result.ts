/** Bounds the result of a wrapped tool: what fits passes untouched, what does not becomes a first page with a ref. */
import { spoolBytes } from "../../acquire/spool.ts";
import { toBody } from "../../acquire/spooled-body.ts";
import { nameKind } from "../../answer/phrases.ts";
import { fenceUntrusted } from "../../answer/untrusted-fence.ts";
import { confirmKind } from "../../detect/confirm.ts";
import { SpillwayError } from "../../errors.ts";
import { type Budget, findExcess } from "../../fit/budget.ts";
import type { Session } from "../../session/session.ts";
import { formatCount, formatSize } from "../../system/quantities.ts";
import { makeFirstPage } from "./first-page.ts";
import { isObject, type JsonObject, toList, toObject, toText } from "./json-rpc.ts";

export type BoundOptions = {
  readonly budget: Budget;
  readonly session: Session;
  /** The name of the tool, for the record. */
  readonly tool: string;
  readonly server: string;
  /** How this client spells the tool that reads on. */
  readonly readTool: string;
  /** Whether the tool declares the shape of its structured content, which then must not change. */
  readonly hasSchema: boolean;
};

/** Pictures up to this size pass: models read them. */
const MAX_IMAGE_BYTES = 256 * 1024;

/** Base64 in a text that is at least this long is a file, not words. */
const MIN_BASE64_CHARS = 2_048;

/** The result as it may pass, or undefined if it fits as it is. Nothing is dropped that could not be kept first. */
export async function boundResult(result: JsonObject, options: BoundOptions): Promise<JsonObject | undefined> {
  const content = toList(result.content);
  const lighter = await Promise.all(content.map((block) => replaceBinary(block, options)));
  const hasReplaced = lighter.some((block, index) => block !== content[index]);
  const text = joinTexts(lighter);
  const structured = result.structuredContent === undefined ? "" : JSON.stringify(result.structuredContent);
  const fits = findExcess(text, options.budget) === null && findExcess(structured, options.budget) === null;
  if (fits) return hasReplaced ? { ...result, content: lighter } : undefined;
  const whole = text.length >= structured.length || structured === "" ? text : structured;
  const kept = await keep(Buffer.from(whole), `result of ${options.tool}`, {}, options);
  return withPage(result, lighter, whole, kept?.ref, options);
}

/** Where the notice goes: first and outside the data. */
const NOTICE_CHARS = 600;

function withPage(
  result: JsonObject,
  content: readonly unknown[],
  whole: string,
  ref: string | undefined,
  { budget, readTool, hasSchema, session }: BoundOptions,
): JsonObject {
  const page = makeFirstPage(whole, Math.max(200, budget.chars - NOTICE_CHARS));
  const next =
    ref === undefined
      ? "The rest could not be kept: ask for less.]"
      : `Read on: ${readTool} artifact_ref=${ref} offset=${page.nextOffset}; or with query=<question>.]`;
  const size = formatCount(whole.length, "character");
  const notice = [`[This result has ${size}; this is its first page.`, page.shape, next].filter(Boolean).join(" ");
  const others = content.filter((block) => !isObject(block) || block.type !== "text");
  const { structuredContent, ...rest } = result;
  const trimmed = hasSchema ? trimItems(structuredContent, budget) : undefined;
  return {
    ...rest,
    content: [{ type: "text", text: `${notice}\n${fenceUntrusted(page.text, session.makeFenceWord())}` }, ...others],
    ...(trimmed === undefined ? {} : { structuredContent: trimmed }),
    ...(ref === undefined ? {} : { _meta: { ...toObject(rest._meta), "spillway/artifact_ref": ref } }),
  };
}

/** Structured content with whole items dropped from its lists until it fits, so that it still has its declared shape. */
function trimItems(value: unknown, budget: Budget): unknown {
  let trimmed = value;
  for (let share = 0.5; share > 0.001 && findExcess(JSON.stringify(trimmed ?? null), budget) !== null; share /= 2)
    trimmed = dropItems(value, share, 0);
  return trimmed;
}

const MAX_DEPTH = 32;

function dropItems(value: unknown, share: number, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value))
    return value.slice(0, Math.ceil(value.length * share)).map((item) => dropItems(item, share, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, dropItems(item, share, depth + 1)]));
}

function joinTexts(content: readonly unknown[]): string {
  return content
    .flatMap((block) => {
      if (!isObject(block)) return [];
      const resource = isObject(block.resource) ? toText(block.resource.text) : undefined;
      return toText(block.text) ?? resource ?? [];
    })
    .join("\n");
}

/** A block without the bytes of a file: large pictures, sounds, embedded files and base64 inside text are kept instead. */
async function replaceBinary(block: unknown, options: BoundOptions): Promise<unknown> {
  if (!isObject(block)) return block;
  if (block.type === "image" || block.type === "audio") {
    const data = toText(block.data) ?? "";
    const isSmall = block.type === "image" && data.length * 0.75 <= MAX_IMAGE_BYTES;
    return isSmall ? block : replaceData(block, data, toText(block.mimeType), options);
  }
  const { resource } = block;
  if (block.type === "resource" && isObject(resource) && typeof resource.blob === "string")
    return replaceData(block, resource.blob, toText(resource.mimeType), options);
  const text = toText(block.text);
  return block.type === "text" && text !== undefined ? replaceInText(block, text, options) : block;
}

async function replaceData(
  block: JsonObject,
  base64: string,
  mediaType: string | undefined,
  options: BoundOptions,
): Promise<unknown> {
  const headers = mediaType === undefined ? {} : { "content-type": mediaType };
  const kept = await keep(Buffer.from(base64, "base64"), `file of ${options.tool}`, headers, options);
  return kept === undefined ? block : { type: "text", text: describeKept(kept, options) };
}

const DATA = /(?:data:([\w.+/-]+);base64,)?([A-Za-z0-9+/]{2048,}={0,2})/g;

async function replaceInText(block: JsonObject, text: string, options: BoundOptions): Promise<unknown> {
  if (text.length < MIN_BASE64_CHARS) return block;
  let replaced = "";
  let end = 0;
  for (const match of text.matchAll(DATA)) {
    const [whole, mediaType, base64 = ""] = match;
    if (!isBinary(base64, mediaType)) continue;
    const headers = mediaType === undefined ? {} : { "content-type": mediaType };
    const kept = await keep(Buffer.from(base64, "base64"), `file of ${options.tool}`, headers, options);
    if (kept === undefined) continue;
    replaced += text.slice(end, match.index) + describeKept(kept, options);
    end = match.index + whole.length;
  }
  return end === 0 ? block : { ...block, text: replaced + text.slice(end) };
}

/** Long runs of letters are also hashes and minified code: without a media type the bytes must look like a file. */
function isBinary(base64: string, mediaType: string | undefined): boolean {
  if (mediaType !== undefined) return true;
  const head = Buffer.from(base64.slice(0, 64), "base64");
  return head.subarray(0, 24).some((byte) => byte < 9 || (byte > 126 && byte < 160));
}

type Kept = { readonly ref: string; readonly kind: string; readonly sizeBytes: number };

const describeKept = ({ ref, kind, sizeBytes }: Kept, { readTool }: BoundOptions): string =>
  `[${kind}, ${formatSize(sizeBytes)}, kept. Read it: ${readTool} artifact_ref=${ref}]`;

/** Keeps bytes as an artifact; undefined where the store cannot be written, and the result then passes as it is. */
async function keep(
  bytes: Uint8Array,
  name: string,
  headers: Readonly<Record<string, string>>,
  { session, server }: BoundOptions,
): Promise<Kept | undefined> {
  const spool = spoolBytes(bytes);
  const detection = await confirmKind(toBody({ bytes }, bytes.length), { headers });
  try {
    const record = await session.store.keep(spool, detection, {
      given: `${server}: ${name}`,
      identity: `gateway:${spool.sha256}`,
      name,
    });
    const kind = nameKind(record.content_kind, record.media_type);
    return { ref: record.artifact_ref, kind, sizeBytes: record.size_bytes };
  } catch (error) {
    if (!(error instanceof SpillwayError && error.code === "store_unavailable")) throw error;
    return undefined;
  }
}
