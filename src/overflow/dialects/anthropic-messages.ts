/** Anthropic Messages: blocks in messages, tool results inside user messages, thinking that must not be touched. */
import type { Edit } from "../wire/json-edits.ts";
import {
  currentIn,
  type Dialect,
  type Fields,
  fieldsOf,
  itemsOf,
  namesOf,
  newestFrom,
  type Part,
  type PartContent,
  textBlock,
  textOf,
} from "./dialect.ts";

export const anthropicMessages: Dialect = {
  name: "anthropic-messages",
  // Another service posts single messages to its threads.
  endpoint: /(?<!\/threads\/[^/]+)\/messages$/,
  lifecycleEvents: ["ping", "message_start"],
  parts(request) {
    const messages = itemsOf(request.messages);
    const newest = newestFrom(messages, isModels);
    const turn = newestFrom(messages, isModels, isPersons);
    const tools = toolsByUse(messages);
    return messages.flatMap((message, index) => {
      const { role, content } = fieldsOf(message);
      if (role !== "user") return [];
      return itemsOf(content).flatMap((item, at) => {
        const block = fieldsOf(item);
        const place = { at: ["messages", index, "content", at], newest: index >= newest };
        return partsOf(block, isResult(block) ? place : { ...place, ...currentIn(index, turn) }, tools);
      });
    });
  },
  outputRoom: ({ max_tokens, thinking }) => {
    if (typeof max_tokens !== "number") return undefined;
    return { tokens: max_tokens, lowered: (tokens) => lowered(tokens, fieldsOf(thinking).budget_tokens) };
  },
  sharesWindow: true,
  serverState: () => undefined,
  opening: ({ messages }) => withoutCacheMarks(itemsOf(messages)[0]),
  toolNames: ({ tools }) => namesOf(tools),
};

/** The smallest thinking budget the provider takes. */
const leastThinking = 1_024;

/** The output must stay larger than the thinking inside it. */
function lowered(tokens: number, thinking: unknown): readonly Edit[] | undefined {
  const output = { at: ["max_tokens"], value: tokens };
  if (typeof thinking !== "number" || thinking < tokens) return [output];
  const budget = Math.floor(tokens / 2);
  return budget < leastThinking ? undefined : [output, { at: ["thinking", "budget_tokens"], value: budget }];
}

const isModels = ({ role }: Fields): boolean => role === "assistant";
const isResult = ({ type }: Fields): boolean => type === "tool_result";

/** Results come in the user's name too; a message with nothing else is none of a person. */
function isPersons({ role, content }: Fields): boolean {
  return role === "user" && (typeof content === "string" || itemsOf(content).some((item) => !isResult(fieldsOf(item))));
}

type Place = Pick<Part, "at" | "newest" | "current" | "tool">;

function partsOf(block: Fields, place: Place, tools: ReadonlyMap<unknown, string>): Part[] {
  if (!isResult(block)) return attachedParts(block, place);
  const tool = tools.get(block.tool_use_id);
  const at = [...place.at, "content"];
  const named = { ...place, at, ...(tool ? { tool } : {}) };
  const { content } = block;
  if (typeof content === "string") {
    return [{ ...named, role: "tool_result", content: { text: content }, replacement: (text) => text }];
  }
  return itemsOf(content).flatMap((item, index) => innerParts(fieldsOf(item), { ...named, at: [...at, index] }));
}

function innerParts(block: Fields, place: Place): Part[] {
  if (block.type === "text")
    return textParts([block], { ...place, at: place.at.slice(0, -1) }, Number(place.at.at(-1)));
  return attachedParts(block, place);
}

/** Pictures and documents; a document made of blocks and a search result stay what they are around their texts. */
function attachedParts(block: Fields, place: Place): Part[] {
  const attached = attachmentOf(block);
  if (attached) return [attachment(block, attached, place)];
  if (block.type === "search_result")
    return textParts(itemsOf(block.content), { ...place, at: [...place.at, "content"] });
  const { content } = block.type === "document" ? fieldsOf(block.source) : {};
  const at = [...place.at, "source", "content"];
  if (typeof content !== "string") return textParts(itemsOf(content), { ...place, at });
  return [{ ...place, at, role: "tool_result", content: { text: content }, replacement: (stub) => stub }];
}

function textParts(blocks: readonly unknown[], place: Place, from = 0): Part[] {
  return blocks.flatMap((item, index): Part[] => {
    const text = textOf(fieldsOf(item).text);
    if (text === undefined) return [];
    const leaf = { ...place, at: [...place.at, from + index, "text"], content: { text } };
    return [{ ...leaf, role: "tool_result", replacement: (stub) => stub }];
  });
}

function attachment(block: Fields, content: PartContent, place: Place): Part {
  return { ...place, role: "attachment", content, replacement: (text) => textBlock("text", text, block) };
}

/** Only what is inside the request can be kept; a URL or a file id costs the request nothing to hold. */
function attachmentOf({ type, source, title }: Fields): PartContent | undefined {
  if (type !== "image" && type !== "document") return undefined;
  const { type: how, data, media_type } = fieldsOf(source);
  if (typeof data !== "string") return undefined;
  if (how === "text") return { text: data };
  const name = textOf(title);
  return { base64: data, mediaType: textOf(media_type) ?? "", ...(name === undefined ? {} : { name }) };
}

function toolsByUse(messages: readonly unknown[]): ReadonlyMap<unknown, string> {
  const blocks = messages.flatMap((message) => itemsOf(fieldsOf(message).content).map(fieldsOf));
  const uses = blocks.filter(({ type }) => type === "tool_use");
  return new Map(uses.map(({ id, name }) => [id, textOf(name) ?? ""]));
}

/** Cache points wander as a conversation grows, and a text becomes a block to carry one; the message is the same. */
function withoutCacheMarks(message: unknown): unknown {
  const { content } = fieldsOf(message);
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : itemsOf(content);
  return blocks.map((block) => ({ ...fieldsOf(block), cache_control: undefined }));
}
