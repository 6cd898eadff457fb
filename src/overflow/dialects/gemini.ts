/** Gemini generateContent: contents made of parts, function responses that are objects, signatures on parts. */
import { isStub } from "../../answer/stub-text.ts";
import type { Path } from "../../system/json-edits.ts";
import {
  type Dialect,
  findExchangeStart,
  type JsonFields,
  markCurrent,
  type Part,
  type PartContent,
  pickFields,
  type RequestBody,
  toFields,
  toItems,
  toText,
  type WrittenPart,
} from "./dialect.ts";
import { findArguments, findPaste } from "./written-parts.ts";

export const gemini: Dialect = {
  name: "gemini",
  provider: "gcp.gemini",
  endpoint: /:(?:generateContent|streamGenerateContent)$/,
  lifecycleEvents: [],
  findParts(request) {
    const contents = toItems(request.contents);
    const newestStart = findExchangeStart(contents, isFromModel);
    const turnStart = findExchangeStart(contents, isFromModel, isFromUser);
    return contents.flatMap((value, index) => {
      const content = toFields(value);
      if (isFromModel(content)) return [];
      return toItems(content.parts).flatMap((item, position) => {
        const part = toFields(item);
        const place = { path: ["contents", index, "parts", position], isNewest: index >= newestStart };
        return partsOf(part, responseKey(part) ? place : { ...place, ...markCurrent(index, turnStart) });
      });
    });
  },
  findWrittenParts({ contents: value }) {
    const contents = toItems(value);
    const turnStart = findExchangeStart(contents, isFromModel, isFromUser);
    return contents.slice(0, turnStart).flatMap((item, index) => {
      const content = toFields(item);
      return toItems(content.parts).flatMap((part, position) =>
        writtenParts(toFields(part), ["contents", index, "parts", position], isFromModel(content)),
      );
    });
  },
  findOutputLimit: (request) => {
    const field = ["generationConfig", "generation_config"].find((name) => request[name] !== undefined);
    const config = toFields(request[field ?? ""]);
    const key = ["maxOutputTokens", "max_output_tokens"].find((name) => typeof config[name] === "number");
    if (field === undefined || key === undefined) return undefined;
    return { tokens: Number(config[key]), lowerTo: (tokens) => [{ path: [field, key], value: tokens }] };
  },
  sharesWindow: false,
  // https://ai.google.dev/api/tokens
  tokenCounter: { addressFor: addressOfCounter, bodyFor: bodyForCounter, field: "totalTokens" },
  findServerState: (request) =>
    ["cachedContent", "cached_content"].find((field) => request[field] !== undefined && request[field] !== null),
  findOpening: ({ contents }) => toItems(contents)[0],
  findToolNames: ({ tools }) =>
    toItems(tools).flatMap((tool) => {
      const { functionDeclarations, function_declarations } = toFields(tool);
      const declarations = [...toItems(functionDeclarations), ...toItems(function_declarations)];
      return declarations.flatMap((declaration) => toText(toFields(declaration).name) ?? []);
    }),
};

function addressOfCounter(url: URL): URL {
  const next = new URL(url);
  next.pathname = next.pathname.replace(/:\w+$/, ":countTokens");
  next.searchParams.delete("alt");
  return next;
}

/** Vertex AI takes the fields, the Gemini API the whole request with the name of its model. */
function bodyForCounter(request: RequestBody, { pathname }: URL): RequestBody {
  if (pathname.includes("/publishers/")) return pickFields(request, ["contents", "systemInstruction", "tools"]);
  const model = /models\/[^/:]+/.exec(pathname)?.[0] ?? "";
  return { generateContentRequest: { model, ...request } };
}

const isFromModel = ({ role }: JsonFields): boolean => role === "model";

/** Function responses have the role `user` too: a content that holds nothing else is not from the user. */
const isFromUser = (content: JsonFields): boolean =>
  !isFromModel(content) && toItems(content.parts).some((part) => responseKey(toFields(part)) === undefined);

const responseKey = (part: JsonFields): string | undefined =>
  ["functionResponse", "function_response"].find((key) => part[key] !== undefined);

/** A call that carries a signature stays as the model wrote it. */
function writtenParts(part: JsonFields, path: Path, isCall: boolean): readonly WrittenPart[] {
  if (!isCall) return findPaste(part.text, [...path, "text"]);
  const key = ["functionCall", "function_call"].find((name) => part[name] !== undefined);
  const isSigned = Object.keys(part).some((name) => /^thought/.test(name));
  if (key === undefined || isSigned) return [];
  const { args, name } = toFields(part[key]);
  return findArguments(args, [...path, key, "args"], name);
}

type Place = Pick<Part, "path" | "isNewest" | "isCurrent">;

function partsOf(part: JsonFields, place: Place): Part[] {
  const key = responseKey(part);
  if (key !== undefined) return responseParts(toFields(part[key]), { ...place, path: [...place.path, key] });
  const content = attachmentOf(part.inlineData ?? part.inline_data);
  if (content === undefined) return [];
  // A signature stays on its part; fields that only media have are dropped.
  const signatures = Object.entries(part).filter(([key]) => /^thought/.test(key));
  const makeReplacement = (text: string) => ({ ...Object.fromEntries(signatures), text });
  return [{ ...place, role: "attachment", content, makeReplacement }];
}

/** A response must stay an object: its long texts are replaced one by one, and a response without any as a whole. */
function responseParts({ response, name, parts }: JsonFields, place: Place): Part[] {
  const tool = toText(name);
  const toolPlace = { ...place, ...(tool === undefined ? {} : { tool }) };
  return [
    ...valueParts(response, { ...toolPlace, path: [...place.path, "response"] }),
    ...mediaParts(parts, toolPlace),
  ];
}

function valueParts(response: unknown, place: Place & { readonly tool?: string }): Part[] {
  const result = { ...place, role: "tool_result" as const };
  const texts = Object.entries(toFields(response)).filter(([, value]) => typeof value === "string");
  const maxTextChars = Math.max(0, ...texts.map(([, value]) => String(value).length));
  const json = JSON.stringify(response) ?? "";
  if (maxTextChars < json.length / 2) {
    return [{ ...result, content: { text: json }, isVerbatim: true, makeReplacement: (text) => ({ output: text }) }];
  }
  return texts.map(([key, value]) => ({
    ...result,
    path: [...place.path, key],
    content: { text: String(value) },
    makeReplacement: (text: string) => text,
  }));
}

/** Media that a function returned. These parts hold media only, so the stub is a small text file. */
function mediaParts(parts: unknown, place: Place & { readonly tool?: string }): Part[] {
  return toItems(parts).flatMap((item, index): Part[] => {
    const fields = toFields(item);
    const key = ["inlineData", "inline_data"].find((name) => fields[name] !== undefined);
    const content = key && attachmentOf(fields[key]);
    if (!content || isStub(Buffer.from("base64" in content ? content.base64 : "", "base64").toString("utf8")))
      return [];
    const type = key === "inlineData" ? "mimeType" : "mime_type";
    const makeReplacement = (text: string) => ({ [type]: "text/plain", data: Buffer.from(text).toString("base64") });
    return [{ ...place, path: [...place.path, "parts", index, key], role: "attachment", content, makeReplacement }];
  });
}

function attachmentOf(data: unknown): PartContent | undefined {
  const { mimeType, mime_type, data: base64, displayName } = toFields(data);
  if (typeof base64 !== "string") return undefined;
  const name = toText(displayName);
  const mediaType = toText(mimeType) ?? toText(mime_type) ?? "";
  return { base64, mediaType, ...(name === undefined ? {} : { name }) };
}
