/** Files inside results: pictures, sounds, embedded files and base64 in text are kept, and a line names each of them. */
import { toBody } from "../../../acquire/spooled-body.ts";
import { confirmKind } from "../../../detect/confirm.ts";
import { formatSize } from "../../../system/quantities.ts";
import { isObject, type JsonObject, toText } from "../json-rpc.ts";
import { type Kept, keepFile, type ResultOrigin } from "./keep-result.ts";

/** Pictures up to this size pass, and as many as these together: models read them. */
const MAX_IMAGE_BYTES = 256 * 1024;
const MAX_IMAGES_BYTES = 1024 * 1024;

/** Base64 of at least this length is a file, not words. */
const MIN_BASE64_CHARS = 2_048;

export type FileOptions = ResultOrigin & {
  /** How this client spells the tool that reads on. */
  readonly readTool: string;
};

/** The blocks of one result without large files. A block without any is the same object as before. */
export async function takeFiles(content: readonly unknown[], options: FileOptions): Promise<readonly unknown[]> {
  let imageBytes = 0;
  const blocks: unknown[] = [];
  for (const block of content) {
    const sizeBytes = isObject(block) && block.type === "image" ? decodedSize(block.data) : 0;
    const isSmall = sizeBytes <= MAX_IMAGE_BYTES && imageBytes + sizeBytes <= MAX_IMAGES_BYTES;
    if (isSmall) imageBytes += sizeBytes;
    blocks.push(await takeFile(block, isSmall, options));
  }
  return blocks;
}

const decodedSize = (data: unknown): number => Math.floor((toText(data)?.length ?? 0) * 0.75);

async function takeFile(block: unknown, isSmallImage: boolean, options: FileOptions): Promise<unknown> {
  if (!isObject(block)) return block;
  if (block.type === "image" && isSmallImage) return block;
  if (block.type === "image" || block.type === "audio")
    return replaceData(block, toText(block.data), toText(block.mimeType), options);
  const { resource } = block;
  if (block.type === "resource" && isObject(resource) && typeof resource.blob === "string")
    return replaceData(block, resource.blob, toText(resource.mimeType), options);
  const text = toText(block.text);
  if (block.type !== "text" || text === undefined) return block;
  const replaced = await takeFilesFromText(text, options);
  return replaced === text ? block : { ...block, text: replaced };
}

async function replaceData(
  block: JsonObject,
  base64: string | undefined,
  mediaType: string | undefined,
  options: FileOptions,
): Promise<unknown> {
  if (base64 === undefined || base64.length < MIN_BASE64_CHARS) return block;
  const kept = await keepFile(Buffer.from(base64, "base64"), mediaType, options);
  return { type: "text", text: describeFile(kept, options) };
}

/** Base64 on one line, or in lines as mail writes it, whose breaks are escaped inside JSON; with or without `data:`. */
const BASE64 =
  /(?:data:([\w.+/-]+)(?:;[\w=.-]+)*;base64,)?((?:[A-Za-z0-9+/]{60,78}(?:\r?\n|(?:\\r)?\\n)){20,}[A-Za-z0-9+/]*={0,2}|[A-Za-z0-9+/]{2048,}={0,2})/g;

/** The text with a line in place of each file. No sign of that line has a meaning in JSON. */
export async function takeFilesFromText(text: string, options: FileOptions): Promise<string> {
  if (text.length < MIN_BASE64_CHARS || !hasLongRun(text)) return text;
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(BASE64)) {
    const [whole, mediaType, run = ""] = match;
    const base64 = run.replace(/\\r|\\n|\s/g, "");
    const bytes = Buffer.from(base64, "base64");
    if (mediaType === undefined && !(await isFile(base64, bytes))) continue;
    parts.push(text.slice(end, match.index), describeFile(await keepFile(bytes, mediaType, options), options));
    end = match.index + whole.length;
  }
  return end === 0 ? text : parts.join("") + text.slice(end);
}

/** The shortest line of base64. */
const MIN_RUN_CHARS = 60;

/** Whether any line of base64 is in a text: looks at one character of sixty, which such a line cannot avoid. */
function hasLongRun(text: string): boolean {
  for (let index = MIN_RUN_CHARS - 1; index < text.length; index += MIN_RUN_CHARS) {
    if (!isBase64Sign(text.charCodeAt(index))) continue;
    let [start, end] = [index, index + 1];
    while (start > 0 && index - start < MIN_RUN_CHARS && isBase64Sign(text.charCodeAt(start - 1))) start -= 1;
    while (end - start < MIN_RUN_CHARS && isBase64Sign(text.charCodeAt(end))) end += 1;
    if (end - start >= MIN_RUN_CHARS) return true;
  }
  return false;
}

/** A letter, a digit, a plus or a slash; false for NaN, which is behind the end. */
function isBase64Sign(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x2f && code <= 0x39) || code === 0x2b;
}

/** Long runs of letters are also digests, sequences and minified code: the bytes decide. */
async function isFile(base64: string, bytes: Buffer): Promise<boolean> {
  const isPadded = base64.length % 4 === 0 || !base64.endsWith("=");
  const hasAllSigns = /[a-z]/.test(base64) && /[A-Z]/.test(base64) && /\d/.test(base64);
  if (!isPadded || !hasAllSigns || /^[0-9a-f]+$/i.test(base64)) return false;
  const { kind } = await confirmKind(toBody({ bytes }, bytes.length), { headers: {} });
  return kind !== "unknown_binary" || countSigns(base64) >= MIN_SIGNS;
}

/** Encrypted and compressed bytes use nearly all 64 signs. */
const MIN_SIGNS = 60;

const countSigns = (base64: string): number => new Set(base64.slice(0, MIN_BASE64_CHARS)).size;

const describeFile = ({ ref, kind, sizeBytes }: Kept, { readTool }: FileOptions): string =>
  ref === undefined
    ? `[${kind}, ${formatSize(sizeBytes)}; it could not be kept]`
    : `[${kind}, ${formatSize(sizeBytes)}, kept. Read it: ${readTool} artifact_ref=${ref}]`;
