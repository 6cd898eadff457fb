/** Gemini generateContent: contents of parts, function responses that are objects, signatures on parts. */
import { isStub } from "../../answer/stub-text.ts";
import {
  currentIn,
  type Dialect,
  type Fields,
  fieldsOf,
  itemsOf,
  newestFrom,
  type Part,
  type PartContent,
  textOf,
} from "./dialect.ts";

export const gemini: Dialect = {
  name: "gemini",
  endpoint: /:(?:generateContent|streamGenerateContent)$/,
  lifecycleEvents: [],
  parts(request) {
    const contents = itemsOf(request.contents);
    const newest = newestFrom(contents, isModels);
    const turn = newestFrom(contents, isModels, isPersons);
    return contents.flatMap((value, index) => {
      const content = fieldsOf(value);
      if (isModels(content)) return [];
      return itemsOf(content.parts).flatMap((item, at) => {
        const part = fieldsOf(item);
        const place = { at: ["contents", index, "parts", at], newest: index >= newest };
        return partsOf(part, responseKey(part) ? place : { ...place, ...currentIn(index, turn) });
      });
    });
  },
  outputRoom: (request) => {
    const field = ["generationConfig", "generation_config"].find((name) => request[name] !== undefined);
    const config = fieldsOf(request[field ?? ""]);
    const key = ["maxOutputTokens", "max_output_tokens"].find((name) => typeof config[name] === "number");
    if (field === undefined || key === undefined) return undefined;
    return { tokens: Number(config[key]), lowered: (tokens) => [{ at: [field, key], value: tokens }] };
  },
  sharesWindow: false,
  serverState: (request) =>
    ["cachedContent", "cached_content"].find((field) => request[field] !== undefined && request[field] !== null),
  opening: ({ contents }) => itemsOf(contents)[0],
  toolNames: ({ tools }) =>
    itemsOf(tools).flatMap((tool) => {
      const { functionDeclarations, function_declarations } = fieldsOf(tool);
      const declared = [...itemsOf(functionDeclarations), ...itemsOf(function_declarations)];
      return declared.flatMap((one) => textOf(fieldsOf(one).name) ?? []);
    }),
};

const isModels = ({ role }: Fields): boolean => role === "model";

/** Responses come in the user's name too; a content with nothing else is none of a person. */
const isPersons = (content: Fields): boolean =>
  !isModels(content) && itemsOf(content.parts).some((part) => responseKey(fieldsOf(part)) === undefined);

const responseKey = (part: Fields): string | undefined =>
  ["functionResponse", "function_response"].find((key) => part[key] !== undefined);

type Place = Pick<Part, "at" | "newest" | "current">;

function partsOf(part: Fields, place: Place): Part[] {
  const called = responseKey(part);
  if (called !== undefined) return responseParts(fieldsOf(part[called]), { ...place, at: [...place.at, called] });
  const attached = attachmentOf(part.inlineData ?? part.inline_data);
  if (attached === undefined) return [];
  // The signature of a part stays on it, whatever the part holds; what only pictures have does not.
  const signed = Object.entries(part).filter(([key]) => /^thought/.test(key));
  const replacement = (text: string) => ({ ...Object.fromEntries(signed), text });
  return [{ ...place, role: "attachment", content: attached, replacement }];
}

/** A response must stay an object: its long texts are replaced one by one; one without is replaced as a whole. */
function responseParts({ response, name, parts }: Fields, place: Place): Part[] {
  const tool = textOf(name);
  const named = { ...place, ...(tool === undefined ? {} : { tool }) };
  return [...valueParts(response, { ...named, at: [...place.at, "response"] }), ...mediaParts(parts, named)];
}

function valueParts(response: unknown, place: Place & { readonly tool?: string }): Part[] {
  const result = { ...place, role: "tool_result" as const };
  const texts = Object.entries(fieldsOf(response)).filter(([, value]) => typeof value === "string");
  const longest = Math.max(0, ...texts.map(([, value]) => String(value).length));
  const whole = JSON.stringify(response) ?? "";
  if (longest < whole.length / 2) {
    return [{ ...result, content: { text: whole }, verbatim: true, replacement: (text) => ({ output: text }) }];
  }
  return texts.map(([key, value]) => ({
    ...result,
    at: [...place.at, key],
    content: { text: String(value) },
    replacement: (text: string) => text,
  }));
}

/** Pictures a function gave back; its parts hold media only, so the stub is a small text file. */
function mediaParts(parts: unknown, place: Place & { readonly tool?: string }): Part[] {
  return itemsOf(parts).flatMap((item, index): Part[] => {
    const fields = fieldsOf(item);
    const key = ["inlineData", "inline_data"].find((name) => fields[name] !== undefined);
    const content = key && attachmentOf(fields[key]);
    if (!content || isStub(Buffer.from("base64" in content ? content.base64 : "", "base64").toString("utf8")))
      return [];
    const type = key === "inlineData" ? "mimeType" : "mime_type";
    const replacement = (text: string) => ({ [type]: "text/plain", data: Buffer.from(text).toString("base64") });
    return [{ ...place, at: [...place.at, "parts", index, key], role: "attachment", content, replacement }];
  });
}

function attachmentOf(data: unknown): PartContent | undefined {
  const { mimeType, mime_type, data: base64, displayName } = fieldsOf(data);
  if (typeof base64 !== "string") return undefined;
  const name = textOf(displayName);
  const mediaType = textOf(mimeType) ?? textOf(mime_type) ?? "";
  return { base64, mediaType, ...(name === undefined ? {} : { name }) };
}
