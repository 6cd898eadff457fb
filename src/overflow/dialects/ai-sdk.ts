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
  textOf,
} from "./dialect.ts";

export const aiSdk: Dialect = {
  name: "ai-sdk",
  // It is called, not posted to.
  endpoint: /(?!)/,
  lifecycleEvents: [],
  parts(request) {
    const prompt = itemsOf(request.prompt);
    const newest = newestFrom(prompt, isModels);
    const turn = newestFrom(prompt, isModels, isPersons);
    return prompt.flatMap((item, index) => {
      const message = fieldsOf(item);
      if (message.role !== "tool" && !isPersons(message)) return [];
      return itemsOf(message.content).flatMap((block, at) => {
        const place = { at: ["prompt", index, "content", at], newest: index >= newest };
        return partsOf(fieldsOf(block), isPersons(message) ? { ...place, ...currentIn(index, turn) } : place);
      });
    });
  },
  outputRoom: (request) => roomOf(request, "maxOutputTokens"),
  sharesWindow: true,
  serverState: ({ providerOptions }) => {
    const { previousResponseId, conversation } = fieldsOf(fieldsOf(providerOptions).openai);
    if (previousResponseId !== undefined && previousResponseId !== null) return "previousResponseId";
    return conversation === undefined || conversation === null ? undefined : "conversation";
  },
  opening: ({ prompt }) => itemsOf(prompt).find((message) => fieldsOf(message).role === "user"),
  toolNames: ({ tools }) => namesOf(tools),
};

const isModels = ({ role }: Fields): boolean => role === "assistant";
const isPersons = ({ role }: Fields): boolean => role === "user";

type Place = Pick<Part, "at" | "newest" | "current">;

function partsOf(block: Fields, place: Place): Part[] {
  if (block.type === "file") return filePart(block, place);
  if (block.type !== "tool-result") return [];
  const tool = textOf(block.toolName);
  return outputParts(fieldsOf(block.output), {
    ...place,
    at: [...place.at, "output"],
    ...(tool === undefined ? {} : { tool }),
  });
}

/** A result keeps its type: an error stays an error. */
function outputParts(output: Fields, place: Place & { readonly tool?: string }): Part[] {
  const { type, value } = output;
  const part = { ...place, role: "tool_result" as const };
  if ((type === "text" || type === "error-text") && typeof value === "string") {
    return [{ ...part, at: [...place.at, "value"], content: { text: value }, replacement: (text) => text }];
  }
  if (type === "json" || type === "error-json") {
    const textType = type === "json" ? "text" : "error-text";
    const content = { text: JSON.stringify(value) ?? "" };
    return [{ ...part, content, replacement: (text) => ({ ...output, type: textType, value: text }) }];
  }
  if (type !== "content") return [];
  return itemsOf(value).flatMap((item, index) =>
    contentPart(fieldsOf(item), { ...place, at: [...place.at, "value", index] }),
  );
}

function contentPart(block: Fields, place: Place): Part[] {
  const text = textOf(block.text);
  if (block.type === "text" && text !== undefined) {
    const leaf = { ...place, at: [...place.at, "text"], content: { text } };
    return [{ ...leaf, role: "tool_result", replacement: (stub) => stub }];
  }
  return filePart(block, place);
}

/** A file's data is bytes, base64, or a data URL; as bytes it is what the provider will send as base64. */
function filePart(block: Fields, place: Place): Part[] {
  const content = fileContent(block);
  if (content === undefined) return [];
  const { providerOptions } = block;
  const kept = providerOptions === undefined ? {} : { providerOptions };
  return [{ ...place, role: "attachment", content, replacement: (text) => ({ type: "text", text, ...kept }) }];
}

function fileContent({ data, mediaType, filename, type }: Fields): PartContent | undefined {
  const name = textOf(filename);
  const about = { mediaType: textOf(mediaType) ?? "", ...(name === undefined ? {} : { name }) };
  const inner = fieldsOf(data).type === "data" ? fieldsOf(data).data : data;
  if (inner instanceof Uint8Array) return { base64: Buffer.from(inner).toString("base64"), ...about };
  if (typeof inner !== "string" || !/^(file|media|image-data|file-data)$/.test(textOf(type) ?? "")) return undefined;
  const address = dataUrlContent(inner, name);
  if (address) return address;
  return /^[a-z][\w+.-]*:/i.test(inner) ? undefined : { base64: inner, ...about };
}
