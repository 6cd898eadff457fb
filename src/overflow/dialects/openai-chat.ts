/** OpenAI Chat Completions and the many services that copy it: tool results are messages of their own. */
import {
  type Dialect,
  type Fields,
  fieldsOf,
  findExchangeStart,
  itemsOf,
  makeTextBlock,
  markCurrent,
  type Part,
  type PartContent,
  parseDataUrl,
  readOutputLimit,
  readToolNames,
  toText,
} from "./dialect.ts";

export const openaiChat: Dialect = {
  name: "openai-chat",
  endpoint: /\/chat\/completions$/,
  lifecycleEvents: [],
  parts(request) {
    const messages = itemsOf(request.messages);
    const newestStart = findExchangeStart(messages, isFromModel);
    const turnStart = findExchangeStart(messages, isFromModel, isFromUser);
    const tools = toolsByCall(messages);
    return messages.flatMap((item, index) => {
      const message = fieldsOf(item);
      const tool = message.role === "function" ? toText(message.name) : tools.get(String(message.tool_call_id));
      const place = { path: ["messages", index, "content"], isNewest: index >= newestStart, ...(tool ? { tool } : {}) };
      return partsOf(message, isFromUser(message) ? { ...place, ...markCurrent(index, turnStart) } : place);
    });
  },
  findOutputLimit: (request) => readOutputLimit(request, "max_completion_tokens", "max_tokens"),
  sharesWindow: true,
  findServerState: () => undefined,
  findOpening: ({ messages }) => itemsOf(messages).find((message) => fieldsOf(message).role === "user"),
  findToolNames: ({ tools, functions }) => [...readToolNames(tools), ...readToolNames(functions)],
};

const isFromModel = ({ role }: Fields): boolean => role === "assistant";
const isFromUser = ({ role }: Fields): boolean => role === "user";

type Place = Pick<Part, "path" | "isNewest" | "isCurrent" | "tool">;

function partsOf({ role, content }: Fields, place: Place): Part[] {
  const isResult = role === "tool" || role === "function";
  if (isResult && typeof content === "string") {
    return [{ ...place, role: "tool_result", content: { text: content }, makeReplacement: (text) => text }];
  }
  if (role === "assistant" || role === "system" || role === "developer") return [];
  return itemsOf(content).flatMap((item, index): Part[] => {
    const block = fieldsOf(item);
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

function attachmentOf({ type, image_url, video_url, file, input_audio }: Fields): PartContent | undefined {
  if (type === "image_url") return parseDataUrl(toText(image_url) ?? fieldsOf(image_url).url);
  if (type === "video_url") return parseDataUrl(toText(video_url) ?? fieldsOf(video_url).url);
  if (type === "file") return parseDataUrl(fieldsOf(file).file_data, toText(fieldsOf(file).filename));
  const { data, format } = fieldsOf(input_audio);
  if (type !== "input_audio" || typeof data !== "string") return undefined;
  return { base64: data, mediaType: `audio/${toText(format) ?? "wav"}` };
}

/** The name of the tool by the id of the call. */
function toolsByCall(messages: readonly unknown[]): Map<string, string> {
  const calls = messages.flatMap((message) => itemsOf(fieldsOf(message).tool_calls).map(fieldsOf));
  return new Map(calls.map((call) => [String(call.id), toText(fieldsOf(call.function).name) ?? ""]));
}
