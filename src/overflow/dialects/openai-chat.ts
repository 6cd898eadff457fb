/** OpenAI Chat Completions and the many services that copy it: tool results are messages of their own. */
import {
  type Dialect,
  findExchangeStart,
  type JsonFields,
  makeTextBlock,
  markCurrent,
  type Part,
  type PartContent,
  parseDataUrl,
  readOutputLimit,
  readToolNames,
  toFields,
  toItems,
  toText,
} from "./dialect.ts";
import { findJsonArguments, findUserPastes } from "./written-parts.ts";

export const openaiChat: Dialect = {
  name: "openai-chat",
  provider: "openai",
  endpoint: /\/chat\/completions$/,
  lifecycleEvents: [],
  findParts(request) {
    const messages = toItems(request.messages);
    const newestStart = findExchangeStart(messages, isFromModel);
    const turnStart = findExchangeStart(messages, isFromModel, isFromUser);
    const tools = toolsByCall(messages);
    return messages.flatMap((item, index) => {
      const message = toFields(item);
      const tool = message.role === "function" ? toText(message.name) : tools.get(String(message.tool_call_id));
      const place = { path: ["messages", index, "content"], isNewest: index >= newestStart, ...(tool ? { tool } : {}) };
      return partsOf(message, isFromUser(message) ? { ...place, ...markCurrent(index, turnStart) } : place);
    });
  },
  findWrittenParts({ messages: value }) {
    const messages = toItems(value);
    const turnStart = findExchangeStart(messages, isFromModel, isFromUser);
    return messages.slice(0, turnStart).flatMap((item, index) => {
      const message = toFields(item);
      const path = ["messages", index];
      if (isFromUser(message)) return findUserPastes(message.content, [...path, "content"]);
      return toItems(message.tool_calls).flatMap((call, position) => {
        const { name, arguments: json } = toFields(toFields(call).function);
        return findJsonArguments(json, [...path, "tool_calls", position, "function", "arguments"], name);
      });
    });
  },
  findOutputLimit: (request) => readOutputLimit(request, "max_completion_tokens", "max_tokens"),
  sharesWindow: true,
  findServerState: () => undefined,
  findOpening: ({ messages }) => toItems(messages).find((message) => toFields(message).role === "user"),
  findToolNames: ({ tools, functions }) => [...readToolNames(tools), ...readToolNames(functions)],
};

const isFromModel = ({ role }: JsonFields): boolean => role === "assistant";
const isFromUser = ({ role }: JsonFields): boolean => role === "user";

type Place = Pick<Part, "path" | "isNewest" | "isCurrent" | "tool">;

function partsOf({ role, content }: JsonFields, place: Place): Part[] {
  const isResult = role === "tool" || role === "function";
  if (isResult && typeof content === "string") {
    return [{ ...place, role: "tool_result", content: { text: content }, makeReplacement: (text) => text }];
  }
  if (role === "assistant" || role === "system" || role === "developer") return [];
  return toItems(content).flatMap((item, index): Part[] => {
    const block = toFields(item);
    const path = [...place.path, index];
    const attachment = attachmentOf(block);
    if (attachment) {
      const makeReplacement = (text: string) => makeTextBlock("text", text, block);
      return [{ ...place, path, role: "attachment", content: attachment, makeReplacement }];
    }
    const text = toText(block.text);
    if (!isResult || text === undefined) return [];
    const leaf = { ...place, path: [...path, "text"], content: { text } };
    return [{ ...leaf, role: "tool_result", makeReplacement: (stub) => stub }];
  });
}

function attachmentOf({ type, image_url, video_url, file, input_audio }: JsonFields): PartContent | undefined {
  if (type === "image_url") return parseDataUrl(toText(image_url) ?? toFields(image_url).url);
  if (type === "video_url") return parseDataUrl(toText(video_url) ?? toFields(video_url).url);
  if (type === "file") return parseDataUrl(toFields(file).file_data, toText(toFields(file).filename));
  const { data, format } = toFields(input_audio);
  if (type !== "input_audio" || typeof data !== "string") return undefined;
  return { base64: data, mediaType: `audio/${toText(format) ?? "wav"}` };
}

/** The name of the tool by the id of the call. */
function toolsByCall(messages: readonly unknown[]): Map<string, string> {
  const calls = messages.flatMap((message) => toItems(toFields(message).tool_calls).map(toFields));
  return new Map(calls.map((call) => [String(call.id), toText(toFields(call.function).name) ?? ""]));
}
