/** The contract of a dialect: where a provider's request format holds its parts, and how one is replaced by a stub. */
import type { Edit, Path } from "../../system/json-edits.ts";

/** A request as parsed JSON; only dialects know its shape. */
export type RequestBody = Readonly<Record<string, unknown>>;

/** What a part holds: text, or attached bytes. */
export type PartContent =
  | { readonly text: string }
  | { readonly base64: string; readonly mediaType: string; readonly name?: string };

/**
 * A tool's result, or something that the user or a tool attached. In earlier turns also what the model wrote into a call, and
 * a long text of the user.
 */
export type PartRole = "tool_result" | "attachment" | WrittenRole;

export type WrittenRole = "call" | "paste";

/** A part of a request that may be replaced by a stub. */
export type Part = {
  /** Where the value is that a stub replaces. */
  readonly path: Path;
  readonly role: PartRole;
  readonly content: PartContent;
  /** Whether it belongs to the newest exchange: everything after the model's last message. */
  readonly isNewest: boolean;
  /** Set when the user attached it in the current turn, however many calls the model has made since. */
  readonly isCurrent?: true;
  readonly tool?: string;
  /** Set when the content is the JSON of the value. It is kept exactly as it was sent. */
  readonly isVerbatim?: true;
  /** The value that replaces the part, made from the text of a stub. */
  makeReplacement(text: string): unknown;
};

export type WrittenPart = Part & { readonly role: WrittenRole };

/** The largest output that a request asks for. */
export type OutputLimit = {
  readonly tokens: number;
  /** The edits that lower it and keep dependent fields valid, or undefined where it cannot be that low. */
  lowerTo(tokens: number): readonly Edit[] | undefined;
};

/** An endpoint that counts the input tokens of a request for free. */
export type TokenCounter = {
  /** Its address, made from the one that the request is posted to. */
  addressFor(url: URL): URL;
  /** The fields of the request that it takes. */
  bodyFor(request: RequestBody, url: URL): RequestBody;
  /** The field of its answer that holds the number. */
  readonly field: string;
};

/** One provider's request format. Every dialect passes `dialect.contract.ts` with its simulator. */
export interface Dialect {
  readonly name: string;
  /** The provider in traces, as OpenTelemetry names it. Default: the name of the dialect. */
  readonly provider?: string;
  /** Matches the path that its requests are posted to. */
  readonly endpoint: RegExp;
  /** The types of the events with which a stream begins before its content. */
  readonly lifecycleEvents: readonly string[];
  /** Every part that may be replaced, in the order of the request. */
  findParts(request: RequestBody): readonly Part[];
  /**
   * Long texts of earlier turns that the model wrote into calls, or the user into messages, in the order of the request. They
   * are replaced only where the user asks for that. A dialect without this function has none.
   */
  findWrittenParts?(request: RequestBody): readonly WrittenPart[];
  findOutputLimit(request: RequestBody): OutputLimit | undefined;
  /** The provider's endpoint that counts the tokens of a request without answering it, if it has one. */
  readonly tokenCounter?: TokenCounter;
  /** Whether the output counts against the same window as the input. */
  readonly sharesWindow: boolean;
  /** The field that makes the provider add stored input which the request does not show, or undefined. */
  findServerState(request: RequestBody): string | undefined;
  /** The value that identifies a conversation. It stays the same while the conversation grows. */
  findOpening(request: RequestBody): unknown;
  /** The names of the tools that the model may call. */
  findToolNames(request: RequestBody): readonly string[];
}

/** An object as parsed JSON. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** The fields of an object, or none for any other value. */
export function toFields(value: unknown): JsonFields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonFields) : {};
}

/** The items of a list, or none for any other value. */
export function toItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string, or undefined for any other value. */
export function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

type ItemTest = (item: JsonFields) => boolean;

/**
 * The index after the model's last message, where the newest exchange begins. With `isOther` as the test for the user's
 * messages, it is where the current turn begins. A trailing assistant prefill does not start a new turn.
 */
export function findExchangeStart(
  items: readonly unknown[],
  isFromModel: ItemTest,
  isOther: ItemTest = (item) => !isFromModel(item),
): number {
  const last = items.findLastIndex((item) => isOther(toFields(item)));
  return items.slice(0, last + 1).findLastIndex((item) => isFromModel(toFields(item))) + 1;
}

/** The address with something appended to its path. */
export function appendPath(url: URL, suffix: string): URL {
  const next = new URL(url);
  next.pathname += suffix;
  return next;
}

/** Those of the named fields that a request has. */
export function pickFields(request: RequestBody, names: readonly string[]): RequestBody {
  return Object.fromEntries(names.flatMap((name) => (name in request ? [[name, request[name]]] : [])));
}

/** Marks what the user attached in the current turn. */
export function markCurrent(index: number, turnStart: number): Pick<Part, "isCurrent"> {
  return index >= turnStart ? { isCurrent: true } : {};
}

/** The content of `data:image/png;base64,...`, or undefined for any other address, which holds nothing to keep. */
export function parseDataUrl(url: unknown, name?: string): PartContent | undefined {
  const match = /^data:([^;,]*)(?:;[^,]*)?;base64,/i.exec(toText(url)?.slice(0, 200) ?? "");
  if (!match) return undefined;
  const [head, mediaType = ""] = match;
  return { base64: String(url).slice(head.length), mediaType, ...(name === undefined ? {} : { name }) };
}

/** The names of tools in the two usual places: `name`, or `function.name`. */
export function readToolNames(tools: unknown): string[] {
  return toItems(tools).flatMap((tool) => {
    const { name, function: inner } = toFields(tool);
    return toText(name) ?? toText(toFields(inner).name) ?? [];
  });
}

/** A text block that replaces another block and keeps its cache mark. */
export function makeTextBlock(type: string, text: string, block: JsonFields): JsonFields {
  return { type, text, ...("cache_control" in block ? { cache_control: block.cache_control } : {}) };
}

/** The output limit from numeric fields, of which a request may set several. */
export function readOutputLimit(request: RequestBody, ...fields: readonly string[]): OutputLimit | undefined {
  const limits = fields.flatMap((field) => {
    const tokens = request[field];
    return typeof tokens === "number" ? [{ field, tokens }] : [];
  });
  if (limits.length === 0) return undefined;
  return {
    tokens: Math.max(...limits.map(({ tokens }) => tokens)),
    lowerTo: (lower) =>
      limits.filter(({ tokens }) => tokens > lower).map(({ field }) => ({ path: [field], value: lower })),
  };
}
