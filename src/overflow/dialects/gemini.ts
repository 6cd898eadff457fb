/** Gemini generateContent: contents of parts, function responses that are objects, signatures on parts. */
import type { Path } from "../edits.ts";
import {
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
  parts(request) {
    const contents = itemsOf(request.contents);
    const newest = newestFrom(contents, ({ role }) => role === "model");
    return contents.flatMap((value, index) => {
      const content = fieldsOf(value);
      if (content.role === "model") return [];
      return itemsOf(content.parts).flatMap((item, at) => {
        return partsOf(fieldsOf(item), { at: ["contents", index, "parts", at], newest: index >= newest });
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

type Place = { readonly at: Path; readonly newest: boolean };

function partsOf(part: Fields, place: Place): Part[] {
  const called = ["functionResponse", "function_response"].find((key) => part[key] !== undefined);
  if (called !== undefined) return responseParts(fieldsOf(part[called]), { ...place, at: [...place.at, called] });
  const attached = attachmentOf(part.inlineData ?? part.inline_data);
  if (attached === undefined) return [];
  // The signature of a part stays on it, whatever the part holds.
  const { inlineData: _, inline_data: __, ...rest } = part;
  return [{ ...place, role: "attachment", content: attached, replacement: (text) => ({ ...rest, text }) }];
}

/** A response must stay an object: its long texts are replaced one by one; one without is replaced as a whole. */
function responseParts({ response, name }: Fields, place: Place): Part[] {
  const tool = textOf(name);
  const named = { ...place, role: "tool_result" as const, ...(tool === undefined ? {} : { tool }) };
  const at = [...place.at, "response"];
  const texts = Object.entries(fieldsOf(response)).filter(([, value]) => typeof value === "string");
  const longest = Math.max(0, ...texts.map(([, value]) => String(value).length));
  const whole = JSON.stringify(response) ?? "";
  if (longest < whole.length / 2) {
    return [{ ...named, at, content: { text: whole }, replacement: (text) => ({ output: text }) }];
  }
  return texts.map(([key, value]) => ({
    ...named,
    at: [...at, key],
    content: { text: String(value) },
    replacement: (text: string) => text,
  }));
}

function attachmentOf(data: unknown): PartContent | undefined {
  const { mimeType, mime_type, data: base64, displayName } = fieldsOf(data);
  if (typeof base64 !== "string") return undefined;
  const name = textOf(displayName);
  const mediaType = textOf(mimeType) ?? textOf(mime_type) ?? "";
  return { base64, mediaType, ...(name === undefined ? {} : { name }) };
}
