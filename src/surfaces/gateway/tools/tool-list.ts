/** Edits the list of a server's tools: rules, pins, output schemas, length, and the tool that reads on. */
import { isObject, type JsonObject, toList, toText } from "../json-rpc.ts";
import { canTrim } from "../results/structured.ts";
import { shortenTools, writeDefinitions } from "./shorten-tools.ts";
import type { ToolPins } from "./tool-pins.ts";
import type { ToolRules } from "./tool-rules.ts";

export type ListOptions = {
  readonly rules: ToolRules;
  readonly pins: ToolPins;
  /** Characters that the list may have. */
  readonly maxChars: number;
  /** What is done with the output schema of a tool: it stays, or only if shorter results can keep it, or it is left out. */
  schemaRule(tool: string): "keep" | "trim" | "drop";
  /** Keeps the full definitions. Returns their ref, if they could be kept. */
  keepDefinitions(text: string): Promise<string | undefined>;
};

/** A list as it is offered. */
export type EditedList = {
  readonly tools: readonly JsonObject[];
  /** The shapes that structured content must keep, by tool. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** The artifact with the full definitions, where they were shortened. */
  readonly definitionsRef: string | undefined;
};

/** The tools of a list result, edited. */
export async function editTools(result: JsonObject, options: ListOptions): Promise<EditedList> {
  const sent = toList(result.tools).filter(isObject);
  const held = options.pins.check(sent);
  const offered = sent.filter(
    ({ name }) => options.rules.isOffered(toText(name) ?? "") && !held.has(toText(name) ?? ""),
  );
  const schemas = new Map<string, JsonObject>();
  const plain = offered.map((tool) => {
    const name = toText(tool.name) ?? "";
    const { outputSchema, ...rest } = tool;
    const rule = options.schemaRule(name);
    if (!isObject(outputSchema) || rule === "keep") return tool;
    if (rule === "drop" || !canTrim(outputSchema)) return rest;
    schemas.set(name, outputSchema);
    return tool;
  });
  const tools = shortenTools(plain, options.maxChars);
  const definitionsRef = tools === plain ? undefined : await options.keepDefinitions(writeDefinitions(offered));
  return { tools, schemas, definitionsRef };
}
