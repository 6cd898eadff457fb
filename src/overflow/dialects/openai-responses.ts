/** OpenAI Responses: a flat list of items, in which calls, outputs and reasoning are items of their own. */
import {
  appendPath,
  type Dialect,
  findExchangeStart,
  type JsonFields,
  makeTextBlock,
  markCurrent,
  type Part,
  type PartContent,
  parseDataUrl,
  pickFields,
  readOutputLimit,
  readToolNames,
  toFields,
  toItems,
  toText,
} from "./dialect.ts";
import { findArguments, findJsonArguments, findUserPastes } from "./written-parts.ts";

/** Items that the model wrote: messages, reasoning and calls. */
const isFromModel = ({ role, type }: JsonFields): boolean =>
  role === "assistant" || type === "reasoning" || /_call$/.test(toText(type) ?? "");

const isFromUser = ({ role }: JsonFields): boolean => role === "user";

const isOutput = ({ type }: JsonFields): boolean => /_call_output$/.test(toText(type) ?? "");

export const openaiResponses: Dialect = {
  name: "openai-responses",
  provider: "openai",
  endpoint: /\/responses$/,
  lifecycleEvents: ["response.created", "response.in_progress", "response.queued"],
  findParts(request) {
    const items = toItems(request.input);
    const newestStart = findExchangeStart(items, isFromModel);
    const turnStart = findExchangeStart(items, isFromModel, isFromUser);
    const calls = items.map(toFields).filter((item) => !isOutput(item));
    const tools = new Map(calls.map(({ call_id, name }) => [call_id, toText(name)]));
    return items.flatMap((value, index) => {
      const item = toFields(value);
      const tool = isOutput(item) ? tools.get(item.call_id) : undefined;
      const place = { path: ["input", index], isNewest: index >= newestStart, ...(tool ? { tool } : {}) };
      if (isOutput(item)) return outputParts(item, place);
      if (isFromModel(item)) return [];
      const contentPlace = { ...place, path: [...place.path, "content"] };
      return blockParts(
        item.content,
        isFromUser(item) ? { ...contentPlace, ...markCurrent(index, turnStart) } : contentPlace,
        false,
      );
    });
  },
  findWrittenParts({ input }) {
    const items = toItems(input);
    const turnStart = findExchangeStart(items, isFromModel, isFromUser);
    return items.slice(0, turnStart).flatMap((value, index) => {
      const item = toFields(value);
      const path = ["input", index];
      if (isFromUser(item)) return findUserPastes(item.content, [...path, "content"]);
      if (item.type === "function_call") return findJsonArguments(item.arguments, [...path, "arguments"], item.name);
      return item.type === "custom_tool_call" ? findArguments(item.input, [...path, "input"], item.name) : [];
    });
  },
  findOutputLimit: (request) => readOutputLimit(request, "max_output_tokens"),
  sharesWindow: true,
  // https://developers.openai.com/api/docs/guides/token-counting
  tokenCounter: {
    addressFor: (url) => appendPath(url, "/input_tokens"),
    bodyFor: (request) => pickFields(request, countedFields),
    field: "input_tokens",
  },
  findServerState: (request) => {
    const isReference = (item: unknown) => toFields(item).type === "item_reference";
    const field = ["previous_response_id", "conversation"].find((name) => (request[name] ?? null) !== null);
    return field ?? (toItems(request.input).some(isReference) ? "item_reference" : undefined);
  },
  findOpening: ({ input }) => toItems(input).find((item) => toFields(item).role === "user") ?? input,
  findToolNames: ({ tools }) => readToolNames(tools),
};

const countedFields = ["model", "input", "instructions", "tools", "tool_choice", "text", "reasoning"];

type Place = Pick<Part, "path" | "isNewest" | "isCurrent" | "tool">;

function outputParts({ output }: JsonFields, place: Place): Part[] {
  const path = [...place.path, "output"];
  if (typeof output === "string") return [textPart(output, { ...place, path })];
  const screenshot = parseDataUrl(toFields(output).image_url);
  if (screenshot === undefined) return blockParts(output, { ...place, path }, true);
  // Only a picture can replace a screenshot. The one that the model is about to look at stays.
  if (place.isNewest || String(toFields(output).image_url) === blankPicture) return [];
  const makeReplacement = () => blankPicture;
  return [{ ...place, path: [...path, "image_url"], role: "attachment", content: screenshot, makeReplacement }];
}

/** One transparent pixel. */
const blankPicture =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

function textPart(text: string, place: Place): Part {
  return { ...place, role: "tool_result", content: { text }, makeReplacement: (stub) => stub };
}

function blockParts(content: unknown, place: Place, isFromTool: boolean): Part[] {
  return toItems(content).flatMap((item, index): Part[] => {
    const block = toFields(item);
    const path = [...place.path, index];
    const attachment = attachmentOf(block);
    if (attachment) {
      const makeReplacement = (text: string) => makeTextBlock("input_text", text, block);
      return [{ ...place, path, role: "attachment", content: attachment, makeReplacement }];
    }
    if (!isFromTool) return [];
    // The output of a shell has several texts in one item.
    return ["text", "stdout", "stderr"].flatMap((key) => {
      const text = toText(block[key]);
      return text === undefined ? [] : [textPart(text, { ...place, path: [...path, key] })];
    });
  });
}

function attachmentOf({ type, image_url, file_data, filename }: JsonFields): PartContent | undefined {
  if (type === "input_image") return parseDataUrl(image_url);
  return type === "input_file" ? parseDataUrl(file_data, toText(filename)) : undefined;
}
