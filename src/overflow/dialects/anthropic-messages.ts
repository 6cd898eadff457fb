/** Anthropic Messages: blocks in messages, tool results inside user messages, signed thinking that must not change. */
import type { Edit } from "../../system/json-edits.ts";
import {
  appendPath,
  type Dialect,
  findExchangeStart,
  type JsonFields,
  makeTextBlock,
  markCurrent,
  type Part,
  type PartContent,
  pickFields,
  readToolNames,
  toFields,
  toItems,
  toText,
} from "./dialect.ts";
import { findArguments, findUserPastes } from "./written-parts.ts";

export const anthropicMessages: Dialect = {
  name: "anthropic-messages",
  provider: "anthropic",
  // OpenAI's Assistants post single messages to /threads/{id}/messages.
  endpoint: /(?<!\/threads\/[^/]+)\/messages$/,
  lifecycleEvents: ["ping", "message_start"],
  findParts(request) {
    const messages = toItems(request.messages);
    const newestStart = findExchangeStart(messages, isFromModel);
    const turnStart = findExchangeStart(messages, isFromModel, isFromUser);
    const tools = toolsByUse(messages);
    return messages.flatMap((message, index) => {
      const { role, content } = toFields(message);
      if (role !== "user") return [];
      return toItems(content).flatMap((item, position) => {
        const block = toFields(item);
        const place = { path: ["messages", index, "content", position], isNewest: index >= newestStart };
        return partsOf(block, isResult(block) ? place : { ...place, ...markCurrent(index, turnStart) }, tools);
      });
    });
  },
  findWrittenParts({ messages: value }) {
    const messages = toItems(value);
    const turnStart = findExchangeStart(messages, isFromModel, isFromUser);
    return messages.slice(0, turnStart).flatMap((message, index) => {
      const { role, content } = toFields(message);
      const path = ["messages", index, "content"];
      if (role === "user") return findUserPastes(content, path);
      return toItems(content).flatMap((item, position) => {
        const { type, input, name } = toFields(item);
        return type === "tool_use" ? findArguments(input, [...path, position, "input"], name) : [];
      });
    });
  },
  findOutputLimit: ({ max_tokens, thinking }) => {
    if (typeof max_tokens !== "number") return undefined;
    return { tokens: max_tokens, lowerTo: (tokens) => lowerOutput(tokens, toFields(thinking).budget_tokens) };
  },
  sharesWindow: true,
  // https://platform.claude.com/docs/en/api/messages-count-tokens
  tokenCounter: {
    addressFor: (url) => appendPath(url, "/count_tokens"),
    bodyFor: (request) => pickFields(request, ["model", "messages", "system", "tools", "tool_choice", "thinking"]),
    field: "input_tokens",
  },
  findServerState: () => undefined,
  findOpening: ({ messages }) => withoutCacheMarks(toItems(messages)[0]),
  findToolNames: ({ tools }) => readToolNames(tools),
};

/** The smallest thinking budget that the provider accepts. */
const MIN_THINKING_TOKENS = 1_024;

/** The output limit must stay larger than the thinking budget, which is part of it. */
function lowerOutput(tokens: number, thinking: unknown): readonly Edit[] | undefined {
  const output = { path: ["max_tokens"], value: tokens };
  if (typeof thinking !== "number" || thinking < tokens) return [output];
  const budget = Math.floor(tokens / 2);
  return budget < MIN_THINKING_TOKENS ? undefined : [output, { path: ["thinking", "budget_tokens"], value: budget }];
}

const isFromModel = ({ role }: JsonFields): boolean => role === "assistant";
const isResult = ({ type }: JsonFields): boolean => type === "tool_result";

/** Tool results have the role `user` too: a message that holds nothing else is not from the user. */
function isFromUser({ role, content }: JsonFields): boolean {
  return role === "user" && (typeof content === "string" || toItems(content).some((item) => !isResult(toFields(item))));
}

type Place = Pick<Part, "path" | "isNewest" | "isCurrent" | "tool">;

function partsOf(block: JsonFields, place: Place, tools: ReadonlyMap<unknown, string>): Part[] {
  if (!isResult(block)) return attachedParts(block, place);
  const tool = tools.get(block.tool_use_id);
  const path = [...place.path, "content"];
  const resultPlace = { ...place, path, ...(tool ? { tool } : {}) };
  const { content } = block;
  if (typeof content === "string") {
    return [{ ...resultPlace, role: "tool_result", content: { text: content }, makeReplacement: (text) => text }];
  }
  return toItems(content).flatMap((item, index) =>
    innerParts(toFields(item), { ...resultPlace, path: [...path, index] }),
  );
}

function innerParts(block: JsonFields, place: Place): Part[] {
  if (block.type === "text")
    return textParts([block], { ...place, path: place.path.slice(0, -1) }, Number(place.path.at(-1)));
  return attachedParts(block, place);
}

/** Pictures and documents. In a document made of blocks and in a search result only the texts are replaced. */
function attachedParts(block: JsonFields, place: Place): Part[] {
  const attachment = attachmentOf(block);
  if (attachment) return [attachmentPart(block, attachment, place)];
  if (block.type === "search_result")
    return textParts(toItems(block.content), { ...place, path: [...place.path, "content"] });
  const { content } = block.type === "document" ? toFields(block.source) : {};
  const path = [...place.path, "source", "content"];
  if (typeof content !== "string") return textParts(toItems(content), { ...place, path });
  return [{ ...place, path, role: "tool_result", content: { text: content }, makeReplacement: (stub) => stub }];
}

function textParts(blocks: readonly unknown[], place: Place, firstIndex = 0): Part[] {
  return blocks.flatMap((item, index): Part[] => {
    const text = toText(toFields(item).text);
    if (text === undefined) return [];
    const leaf = { ...place, path: [...place.path, firstIndex + index, "text"], content: { text } };
    return [{ ...leaf, role: "tool_result", makeReplacement: (stub) => stub }];
  });
}

function attachmentPart(block: JsonFields, content: PartContent, place: Place): Part {
  return { ...place, role: "attachment", content, makeReplacement: (text) => makeTextBlock("text", text, block) };
}

/** Only bytes inside the request are worth replacing: a URL or a file id takes no space. */
function attachmentOf({ type, source, title }: JsonFields): PartContent | undefined {
  if (type !== "image" && type !== "document") return undefined;
  const { type: sourceType, data, media_type } = toFields(source);
  if (typeof data !== "string") return undefined;
  if (sourceType === "text") return { text: data };
  const name = toText(title);
  return { base64: data, mediaType: toText(media_type) ?? "", ...(name === undefined ? {} : { name }) };
}

/** The name of the tool by the id of the call. */
function toolsByUse(messages: readonly unknown[]): ReadonlyMap<unknown, string> {
  const blocks = messages.flatMap((message) => toItems(toFields(message).content).map(toFields));
  const uses = blocks.filter(({ type }) => type === "tool_use");
  return new Map(uses.map(({ id, name }) => [id, toText(name) ?? ""]));
}

/** Clients move cache marks as a conversation grows, and turn a text into a block to carry one. The message is the same. */
function withoutCacheMarks(message: unknown): unknown {
  const { content } = toFields(message);
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : toItems(content);
  return blocks.map((block) => ({ ...toFields(block), cache_control: undefined }));
}
