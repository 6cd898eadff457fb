/** Bounds the result of a wrapped tool: what fits passes untouched, what does not becomes a first page with a ref. */
import { fenceUntrusted } from "../../../answer/untrusted-fence.ts";
import { type Budget, findExcess } from "../../../fit/budget.ts";
import { formatCount } from "../../../system/quantities.ts";
import type { ClientView } from "../client-view.ts";
import { isObject, type JsonObject, toList, toObject, toText } from "../json-rpc.ts";
import { makeEndsPage, type PageMaker, readPages } from "./first-page.ts";
import { type FileOptions, takeFiles, takeFilesFromText } from "./inner-files.ts";
import { type KeptText, keepText } from "./keep-result.ts";
import { trimItems } from "./structured.ts";

export type BoundOptions = FileOptions & {
  readonly budget: Budget;
  /** What the client shows of a result. */
  readonly shows: ClientView["shows"];
  /** The shape that the client was shown; structured content must keep it. */
  readonly schema: JsonObject | undefined;
};

/** Under this key of `_meta` a bounded result names its artifact. */
export const REF_KEY = "spillway/artifact_ref";

/** Under this one, how many characters its text has. */
export const SIZE_KEY = "spillway/total_chars";

/** The result as it may pass, or undefined if it fits as it is. */
export async function boundResult(result: JsonObject, options: BoundOptions): Promise<JsonObject | undefined> {
  const content = toList(result.content);
  const parts = await takeParts(result, content, options);
  const isUnchanged = parts.blocks.every((block, index) => block === content[index]) && !parts.hasNewJson;
  if (fits(parts.text, parts.json, options)) return isUnchanged ? undefined : withParts(result, parts);
  return withPage(result, parts, options);
}

/** What a result is made of once its files are taken out. */
type Parts = {
  readonly blocks: readonly unknown[];
  /** The text of all blocks. */
  readonly text: string;
  /** The structured content as JSON; empty if there is none. */
  readonly json: string;
  readonly hasNewJson: boolean;
};

async function takeParts(result: JsonObject, content: readonly unknown[], options: BoundOptions): Promise<Parts> {
  const blocks = await takeFiles(content, options);
  const { structuredContent } = result;
  const sentJson = structuredContent === undefined ? "" : JSON.stringify(structuredContent);
  const json = await takeFilesFromText(sentJson, options);
  return { blocks, text: blocks.flatMap(readText).join("\n"), json, hasNewJson: json !== sentJson };
}

const isMedia = (block: unknown): boolean => isObject(block) && (block.type === "image" || block.type === "audio");

/** What a model reads of a block; links and unknown blocks count as they are. */
function readText(block: unknown): readonly string[] {
  if (!isObject(block) || isMedia(block)) return [];
  const inner = isObject(block.resource) ? toText(block.resource.text) : undefined;
  return [toText(block.text) ?? inner ?? JSON.stringify(block)];
}

/** Each form must fit, and both together where the client shows both. */
function fits(text: string, json: string, { budget, shows }: Pick<BoundOptions, "budget" | "shows">): boolean {
  if (shows === "both") return findExcess(`${text}${json}`, budget) === null;
  return findExcess(text, budget) === null && findExcess(json, budget) === null;
}

const withParts = (result: JsonObject, { blocks, json, hasNewJson }: Parts): JsonObject => ({
  ...result,
  content: blocks,
  ...(hasNewJson ? { structuredContent: JSON.parse(json) as unknown } : {}),
});

/** A form of the result that is not shown, kept under a ref of its own. */
async function withPage(result: JsonObject, parts: Parts, options: BoundOptions): Promise<JsonObject> {
  const { budget, schema, shows } = options;
  const { text, json } = parts;
  const isSame = isSameContent(text, json);
  const isTextMain = isSame || text.length >= json.length;
  const main = await keepText(isTextMain ? text : json, 2 * budget.chars, options);
  const other = isSame ? "" : isTextMain ? json : text;
  const otherRef = other === "" ? undefined : (await keepText(other, 0, options)).ref;
  const { structuredContent: _, ...rest } = result;
  const trimmed =
    schema === undefined || shows === "structured" || json === ""
      ? undefined
      : trimItems(JSON.parse(json), schema, (candidate) => findExcess(candidate, halve(budget)) === null);
  const room = (page: string) => `${page}${trimmed === undefined ? "" : JSON.stringify(trimmed)}`;
  const pages = result.isError === true ? readErrorPages(main.text) : readPages(main.text);
  const page = fitPage(pages, main, otherRef, room, options);
  return {
    ...rest,
    content: [{ type: "text", text: page }, ...parts.blocks.filter(isMedia)],
    ...(trimmed === undefined ? {} : { structuredContent: trimmed }),
    // A client that was shown the schema accepts a result without structured content only as an error.
    ...(schema !== undefined && trimmed === undefined && json !== "" ? { isError: true } : {}),
    _meta: {
      ...toObject(rest._meta),
      [SIZE_KEY]: main.totalChars,
      ...(main.ref === undefined ? {} : { [REF_KEY]: main.ref }),
    },
  };
}

/** Of structured content that holds the text, at least this share is the text. */
const MIN_TEXT_SHARE = 0.9;

/** Servers repeat structured content as text for older clients, or the text as a field of structured content. */
function isSameContent(text: string, json: string): boolean {
  if (json === "" || text === json) return true;
  const escaped = JSON.stringify(text).slice(1, -1);
  if (escaped.length >= json.length * MIN_TEXT_SHARE && json.includes(escaped)) return true;
  if (!/^\s*[[{]/.test(text.slice(0, 100))) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false; // Text that only begins like JSON.
  }
}

const halve = (budget: Budget): Budget => ({
  ...budget,
  chars: Math.floor(budget.chars / 2),
  ...(budget.bytes === undefined ? {} : { bytes: Math.floor(budget.bytes / 2) }),
  ...(budget.tokens === undefined ? {} : { tokens: { ...budget.tokens, max: Math.floor(budget.tokens.max / 2) } }),
});

/** What went wrong is in the first and the last lines of an error. */
const readErrorPages =
  (text: string): PageMaker =>
  (maxChars) =>
    makeEndsPage(text, maxChars, "The beginning and the end of an error.");

/** Renderings that are tried; each is smaller by as much as the last one was too large. */
const MAX_TRIES = 20;
const MIN_PAGE_CHARS = 100;

/** The page as it leaves, measured with everything around it. */
function fitPage(
  pages: PageMaker,
  kept: KeptText,
  otherRef: string | undefined,
  room: (page: string) => string,
  options: BoundOptions,
): string {
  const fenceWord = options.session.makeFenceWord();
  let chars = options.budget.chars;
  for (let tries = 0; ; tries++) {
    const text = renderPage(pages, chars, kept, otherRef, fenceWord, options.readTool);
    const excess = findExcess(room(text), options.budget);
    if (excess === null || tries === MAX_TRIES || chars <= MIN_PAGE_CHARS) return text;
    const surplus = Math.ceil((chars * (excess.size - excess.max)) / excess.size);
    chars = Math.max(MIN_PAGE_CHARS, chars - Math.max(surplus, Math.ceil(chars / 50)));
  }
}

function renderPage(
  pages: PageMaker,
  chars: number,
  { ref, totalChars, madeFrom }: KeptText,
  otherRef: string | undefined,
  fenceWord: string,
  readTool: string,
): string {
  const page = pages(chars);
  const words = page.names === "" ? page.text : `${page.text}\n\n[${page.names}]`;
  const size = formatCount(totalChars, "character");
  const what =
    madeFrom === undefined ? `This result has ${size}` : `This result is a ${madeFrom}; its text has ${size}`;
  const next =
    ref === undefined
      ? "The rest could not be kept: ask for less."
      : `Read on: ${readTool} artifact_ref=${ref} offset=${page.nextOffset}; or with query=<question>.`;
  const other = otherRef === undefined ? "" : `The other form of it: ${readTool} artifact_ref=${otherRef}.`;
  const notice = [`${what}; this is its first page.`, page.shape, next, other].filter(Boolean).join(" ");
  return `[${notice}]\n${fenceUntrusted(words, fenceWord)}`;
}
