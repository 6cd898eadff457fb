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

/** Items the model wrote; reasoning and calls belong to it as much as its messages do. */
const isModels = ({ role, type }: Fields): boolean =>
  role === "assistant" || type === "reasoning" || /_call$/.test(textOf(type) ?? "");

const isPersons = ({ role }: Fields): boolean => role === "user";

const isOutput = ({ type }: Fields): boolean => /_call_output$/.test(textOf(type) ?? "");

export const openaiResponses: Dialect = {
  name: "openai-responses",
  endpoint: /\/responses$/,
  lifecycleEvents: ["response.created", "response.in_progress", "response.queued"],
  parts(request) {
    const items = itemsOf(request.input);
    const newest = newestFrom(items, isModels);
    const turn = newestFrom(items, isModels, isPersons);
    const tools = new Map(items.map(fieldsOf).map(({ call_id, name }) => [call_id, textOf(name)]));
    return items.flatMap((value, index) => {
      const item = fieldsOf(value);
      const tool = isOutput(item) ? tools.get(item.call_id) : undefined;
      const place = { at: ["input", index], newest: index >= newest, ...(tool ? { tool } : {}) };
      if (isOutput(item)) return outputParts(item, place);
      if (isModels(item)) return [];
      const inside = { ...place, at: [...place.at, "content"] };
      return blockParts(item.content, isPersons(item) ? { ...inside, ...currentIn(index, turn) } : inside, false);
    });
  },
  outputRoom: (request) => roomOf(request, "max_output_tokens"),
  sharesWindow: true,
  serverState: (request) => {
    const isReference = (item: unknown) => fieldsOf(item).type === "item_reference";
    const field = ["previous_response_id", "conversation"].find((name) => (request[name] ?? null) !== null);
    return field ?? (itemsOf(request.input).some(isReference) ? "item_reference" : undefined);
  },
  opening: ({ input }) => itemsOf(input).find((item) => fieldsOf(item).role === "user") ?? input,
  toolNames: ({ tools }) => namesOf(tools),
};

type Place = Pick<Part, "at" | "newest" | "current" | "tool">;

function outputParts({ output }: Fields, place: Place): Part[] {
  const at = [...place.at, "output"];
  if (typeof output === "string") return [textPart(output, { ...place, at })];
  const screenshot = dataUrlContent(fieldsOf(output).image_url);
  if (screenshot === undefined) return blockParts(output, { ...place, at }, true);
  // Nothing but a picture may stand in the place of a screenshot; the one the model is to look at now stays.
  if (place.newest || String(fieldsOf(output).image_url) === blankPicture) return [];
  const replacement = () => blankPicture;
  return [{ ...place, at: [...at, "image_url"], role: "attachment", content: screenshot, replacement }];
}

/** One transparent pixel. */
const blankPicture =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

function textPart(text: string, place: Place): Part {
  return { ...place, role: "tool_result", content: { text }, replacement: (stub) => stub };
}

function blockParts(content: unknown, place: Place, ofTool: boolean): Part[] {
  return itemsOf(content).flatMap((item, index): Part[] => {
    const block = fieldsOf(item);
    const at = [...place.at, index];
    const attached = attachmentOf(block);
    if (attached) {
      const replacement = (text: string) => textBlock("input_text", text, block);
      return [{ ...place, at, role: "attachment", content: attached, replacement }];
    }
    if (!ofTool) return [];
    // A shell's answer has its texts side by side.
    return ["text", "stdout", "stderr"].flatMap((key) => {
      const text = textOf(block[key]);
      return text === undefined ? [] : [textPart(text, { ...place, at: [...at, key] })];
    });
  });
}

function attachmentOf({ type, image_url, file_data, filename }: Fields): PartContent | undefined {
  if (type === "input_image") return dataUrlContent(image_url);
  return type === "input_file" ? dataUrlContent(file_data, textOf(filename)) : undefined;
}
