import {
  currentIn,
  type Dialect,
  dataUrlContent,
  type Fields,
  fieldsOf,
  itemsOf,
  namesOf,
  newestFrom,
  type Part,
  type PartContent,
  roomOf,
  textBlock,
  textOf,
} from "./dialect.ts";

export const openaiChat: Dialect = {
  name: "openai-chat",
  endpoint: /\/chat\/completions$/,
  lifecycleEvents: [],
  parts(request) {
    const messages = itemsOf(request.messages);
    const newest = newestFrom(messages, isModels);
    const turn = newestFrom(messages, isModels, isPersons);
    const tools = toolsByCall(messages);
    return messages.flatMap((item, index) => {
      const message = fieldsOf(item);
      const tool = message.role === "function" ? textOf(message.name) : tools.get(String(message.tool_call_id));
      const place = { at: ["messages", index, "content"], newest: index >= newest, ...(tool ? { tool } : {}) };
      return partsOf(message, isPersons(message) ? { ...place, ...currentIn(index, turn) } : place);
    });
  },
  outputRoom: (request) => roomOf(request, "max_completion_tokens", "max_tokens"),
  sharesWindow: true,
  serverState: () => undefined,
  opening: ({ messages }) => itemsOf(messages).find((message) => fieldsOf(message).role === "user"),
  toolNames: ({ tools, functions }) => [...namesOf(tools), ...namesOf(functions)],
};

const isModels = ({ role }: Fields): boolean => role === "assistant";
const isPersons = ({ role }: Fields): boolean => role === "user";

type Place = Pick<Part, "at" | "newest" | "current" | "tool">;

function partsOf({ role, content }: Fields, place: Place): Part[] {
  const isResult = role === "tool" || role === "function";
  if (isResult && typeof content === "string") {
    return [{ ...place, role: "tool_result", content: { text: content }, replacement: (text) => text }];
  }
  if (role === "assistant" || role === "system" || role === "developer") return [];
  return itemsOf(content).flatMap((item, index): Part[] => {
    const block = fieldsOf(item);
    const at = [...place.at, index];
    const attached = attachmentOf(block);
    if (attached) {
      const replacement = (text: string) => textBlock("text", text, block);
      return [{ ...place, at, role: "attachment", content: attached, replacement }];
    }
    const text = textOf(block.text);
    if (!isResult || text === undefined) return [];
    const leaf = { ...place, at: [...at, "text"], content: { text } };
    return [{ ...leaf, role: "tool_result", replacement: (stub) => stub }];
  });
}

function attachmentOf({ type, image_url, video_url, file, input_audio }: Fields): PartContent | undefined {
  if (type === "image_url") return dataUrlContent(textOf(image_url) ?? fieldsOf(image_url).url);
  if (type === "video_url") return dataUrlContent(textOf(video_url) ?? fieldsOf(video_url).url);
  if (type === "file") return dataUrlContent(fieldsOf(file).file_data, textOf(fieldsOf(file).filename));
  const { data, format } = fieldsOf(input_audio);
  if (type !== "input_audio" || typeof data !== "string") return undefined;
  return { base64: data, mediaType: `audio/${textOf(format) ?? "wav"}` };
}

function toolsByCall(messages: readonly unknown[]): Map<string, string> {
  const calls = messages.flatMap((message) => itemsOf(fieldsOf(message).tool_calls).map(fieldsOf));
  return new Map(calls.map(({ id, function: called }) => [String(id), textOf(fieldsOf(called).name) ?? ""]));
}
