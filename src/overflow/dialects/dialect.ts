/** What recovery knows of a provider's request format: where the heavy parts are, and how one is made light. */
import type { Edit, Path } from "../wire/json-edits.ts";

/** A request as parsed JSON; only dialects know its shape. */
export type Request = Readonly<Record<string, unknown>>;

/** What a part holds: text, or bytes that were attached. */
export type PartContent =
  | { readonly text: string }
  | { readonly base64: string; readonly mediaType: string; readonly name?: string };

/** A part of a request that may be shed. */
export type Part = {
  /** The value that is replaced. */
  readonly at: Path;
  /** A tool's answer, or something a person or a tool attached. */
  readonly role: "tool_result" | "attachment";
  readonly content: PartContent;
  /** Whether it belongs to the newest exchange: what came after the model spoke last. */
  readonly newest: boolean;
  /** Whether a person attached it in the turn that is still going on, however many calls the model has made since. */
  readonly current?: true;
  readonly tool?: string;
  /** The content is the JSON of the value, which is kept as it was written. */
  readonly verbatim?: true;
  /** The value that stands for the part when it is replaced by a text. */
  replacement(text: string): unknown;
};

/** The room for the answer a request asks for. */
export type OutputRoom = {
  readonly tokens: number;
  /** The edits that lower it, keeping what depends on it valid, or undefined where it cannot be so low. */
  lowered(tokens: number): readonly Edit[] | undefined;
};

/** One provider's format. Every dialect passes the same contract suite. */
export interface Dialect {
  readonly name: string;
  /** The end of the path its requests are posted to. */
  readonly endpoint: RegExp;
  /** The types of the events with which a stream begins before it has content. */
  readonly lifecycleEvents: readonly string[];
  /** Every part that may be shed, in the order of the request. */
  parts(request: Request): readonly Part[];
  outputRoom(request: Request): OutputRoom | undefined;
  /** Whether the room for the answer is part of the same window as the input. */
  readonly sharesWindow: boolean;
  /** The name of a field that makes the provider add what we cannot see, or undefined. */
  serverState(request: Request): string | undefined;
  /** What tells this conversation from others: it stays the same while the conversation grows. */
  opening(request: Request): unknown;
  /** The names of the tools the model may call. */
  toolNames(request: Request): readonly string[];
}

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object, or none for any other value. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The items of a list, or none for any other value. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string, or undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

type Is = (item: Fields) => boolean;

/** The items after the model's last turn: the newest exchange begins here. Words put into its mouth at the end are no turn. */
export function newestFrom(items: readonly unknown[], isModels: Is, isOther: Is = (item) => !isModels(item)): number {
  const last = items.findLastIndex((item) => isOther(fieldsOf(item)));
  return items.slice(0, last + 1).findLastIndex((item) => isModels(fieldsOf(item))) + 1;
}

/** The mark of what a person attached in the turn that is still going on, which begins at this index. */
export function currentIn(index: number, turn: number): Pick<Part, "current"> {
  return index >= turn ? { current: true } : {};
}

/** `data:image/png;base64,...` as content; any other address is not ours to keep. */
export function dataUrlContent(url: unknown, name?: string): PartContent | undefined {
  const found = /^data:([^;,]*)(?:;[^,]*)?;base64,/i.exec(textOf(url)?.slice(0, 200) ?? "");
  if (!found) return undefined;
  const [head, mediaType = ""] = found;
  return { base64: String(url).slice(head.length), mediaType, ...(name === undefined ? {} : { name }) };
}

/** The names of tools in the two usual places: `name`, or `function.name`. */
export function namesOf(tools: unknown): string[] {
  return itemsOf(tools).flatMap((tool) => {
    const { name, function: inner } = fieldsOf(tool);
    return textOf(name) ?? textOf(fieldsOf(inner).name) ?? [];
  });
}

/** A text block in place of another block, keeping the mark that a cache point stands here. */
export function textBlock(type: string, text: string, block: Fields): Fields {
  return { type, text, ...("cache_control" in block ? { cache_control: block.cache_control } : {}) };
}

/** The room asked for by numeric fields, of which a request may hold several. */
export function roomOf(request: Request, ...fields: readonly string[]): OutputRoom | undefined {
  const asked = fields.flatMap((field) => {
    const tokens = request[field];
    return typeof tokens === "number" ? [{ field, tokens }] : [];
  });
  if (asked.length === 0) return undefined;
  return {
    tokens: Math.max(...asked.map(({ tokens }) => tokens)),
    lowered: (lower) =>
      asked.filter(({ tokens }) => tokens > lower).map(({ field }) => ({ at: [field], value: lower })),
  };
}
