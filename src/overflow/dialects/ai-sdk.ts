/** Prompts of the AI SDK, as its middleware gets them before a provider package turns them into a request. */
import {
  type Dialect,
  findExchangeStart,
  type JsonFields,
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
import { findArguments, findUserPastes } from "./written-parts.ts";

export const aiSdk: Dialect = {
  name: "ai-sdk",
  // The middleware is called with it; it is never posted.
  endpoint: /(?!)/,
  lifecycleEvents: [],
  findParts(request) {
    const prompt = toItems(request.prompt);
    const newestStart = findExchangeStart(prompt, isFromModel);
    const turnStart = findExchangeStart(prompt, isFromModel, isFromUser);
    return prompt.flatMap((item, index) => {
      const message = toFields(item);
      if (message.role !== "tool" && !isFromUser(message)) return [];
      return toItems(message.content).flatMap((block, position) => {
        const place = { path: ["prompt", index, "content", position], isNewest: index >= newestStart };
        return partsOf(toFields(block), isFromUser(message) ? { ...place, ...markCurrent(index, turnStart) } : place);
      });
    });
  },
  findWrittenParts({ prompt: value }) {
    const prompt = toItems(value);
    const turnStart = findExchangeStart(prompt, isFromModel, isFromUser);
    return prompt.slice(0, turnStart).flatMap((item, index) => {
      const message = toFields(item);
      const path = ["prompt", index, "content"];
      if (isFromUser(message)) return findUserPastes(message.content, path);
      return toItems(message.content).flatMap((block, position) => {
        const { type, input, toolName } = toFields(block);
        return type === "tool-call" ? findArguments(input, [...path, position, "input"], toolName) : [];
      });
    });
  },
  findOutputLimit: (request) => readOutputLimit(request, "maxOutputTokens"),
  sharesWindow: true,
  findServerState: ({ providerOptions }) => {
    const { previousResponseId, conversation } = toFields(toFields(providerOptions).openai);
    if (previousResponseId !== undefined && previousResponseId !== null) return "previousResponseId";
    return conversation === undefined || conversation === null ? undefined : "conversation";
  },
  findOpening: ({ prompt }) => toItems(prompt).find((message) => toFields(message).role === "user"),
  findToolNames: ({ tools }) => readToolNames(tools),
};

const isFromModel = ({ role }: JsonFields): boolean => role === "assistant";
const isFromUser = ({ role }: JsonFields): boolean => role === "user";

type Place = Pick<Part, "path" | "isNewest" | "isCurrent">;

function partsOf(block: JsonFields, place: Place): Part[] {
  if (block.type === "file") return filePart(block, place);
  if (block.type !== "tool-result") return [];
  const tool = toText(block.toolName);
  return outputParts(toFields(block.output), {
    ...place,
    path: [...place.path, "output"],
    ...(tool === undefined ? {} : { tool }),
  });
}

/** A result keeps its type: an error stays an error. */
function outputParts(output: JsonFields, place: Place & { readonly tool?: string }): Part[] {
  const { type, value } = output;
  const part = { ...place, role: "tool_result" as const };
  if ((type === "text" || type === "error-text") && typeof value === "string") {
    return [{ ...part, path: [...place.path, "value"], content: { text: value }, makeReplacement: (text) => text }];
  }
  if (type === "json" || type === "error-json") {
    const textType = type === "json" ? "text" : "error-text";
    const content = { text: JSON.stringify(value) ?? "" };
    return [{ ...part, content, makeReplacement: (text) => ({ ...output, type: textType, value: text }) }];
  }
  if (type !== "content") return [];
  return toItems(value).flatMap((item, index) =>
    contentPart(toFields(item), { ...place, path: [...place.path, "value", index] }),
  );
}

function contentPart(block: JsonFields, place: Place): Part[] {
  const text = toText(block.text);
  if (block.type === "text" && text !== undefined) {
    const leaf = { ...place, path: [...place.path, "text"], content: { text } };
    return [{ ...leaf, role: "tool_result", makeReplacement: (stub) => stub }];
  }
  return filePart(block, place);
}

/** A file's data is bytes, base64 or a data URL. Bytes are sent as base64 later. */
function filePart(block: JsonFields, place: Place): Part[] {
  const content = fileContent(block);
  if (content === undefined) return [];
  const { providerOptions } = block;
  const options = providerOptions === undefined ? {} : { providerOptions };
  return [{ ...place, role: "attachment", content, makeReplacement: (text) => ({ type: "text", text, ...options }) }];
}

function fileContent({ data, mediaType, filename, type }: JsonFields): PartContent | undefined {
  const name = toText(filename);
  const description = { mediaType: toText(mediaType) ?? "", ...(name === undefined ? {} : { name }) };
  const bytes = toFields(data).type === "data" ? toFields(data).data : data;
  if (bytes instanceof Uint8Array) return { base64: Buffer.from(bytes).toString("base64"), ...description };
  if (typeof bytes !== "string" || !/^(file|media|image-data|file-data)$/.test(toText(type) ?? "")) return undefined;
  const parsed = parseDataUrl(bytes, name);
  if (parsed) return parsed;
  return /^[a-z][\w+.-]*:/i.test(bytes) ? undefined : { base64: bytes, ...description };
}
