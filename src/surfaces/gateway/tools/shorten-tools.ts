/** Shortens the descriptions of tools until their list fits a budget. Schemas keep their meaning. */
import { cutBetweenCodePoints } from "../../../fit/measure.ts";
import { isObject, type JsonObject, toText } from "../json-rpc.ts";

/** Lengths that are tried for each description, from the longest. */
const LENGTHS = [2_000, 1_000, 500, 300, 200, 120, 80, 40, 0];

/** The tools within a number of characters, or with the shortest descriptions there are; the same list if it fits. */
export function shortenTools(tools: readonly JsonObject[], maxChars: number): readonly JsonObject[] {
  if (JSON.stringify(tools).length <= maxChars) return tools;
  let shortened = tools;
  for (const chars of LENGTHS) {
    shortened = tools.map((tool) => shortenTool(tool, chars));
    if (JSON.stringify(shortened).length <= maxChars) break;
  }
  return shortened;
}

/** Descriptions inside schemas get half of the room: there are many of them. */
function shortenTool(tool: JsonObject, chars: number): JsonObject {
  const { description, inputSchema, outputSchema } = tool;
  const text = toText(description);
  const inner = Math.floor(chars / 2);
  return {
    ...tool,
    ...(text === undefined ? {} : { description: shorten(text, Math.max(chars, MIN_CHARS)) }),
    ...(inputSchema === undefined ? {} : { inputSchema: shortenSchema(inputSchema, inner, 0) }),
    ...(outputSchema === undefined ? {} : { outputSchema: shortenSchema(outputSchema, inner, 0) }),
  };
}

/** A tool without any description could not be chosen. */
const MIN_CHARS = 40;

/** Words about a schema, which no validator looks at. */
const ANNOTATIONS = ["description", "title", "$comment", "examples"];
/** Keywords whose values are names or data of the user, not schemas. */
const NAMES = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const DATA = ["const", "enum", "default", "required", "dependentRequired"];
const MAX_DEPTH = 32;

function shortenSchema(schema: unknown, chars: number, depth: number): unknown {
  if (depth > MAX_DEPTH) return schema;
  if (Array.isArray(schema)) return schema.map((each) => shortenSchema(each, chars, depth + 1));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === "description" && typeof value === "string") return chars === 0 ? [] : [[key, shorten(value, chars)]];
    if (ANNOTATIONS.includes(key)) return chars < MIN_CHARS ? [] : [[key, value]];
    if (DATA.includes(key)) return [[key, value]];
    if (NAMES.includes(key) && isObject(value)) return [[key, shortenNamed(value, chars, depth)]];
    return [[key, shortenSchema(value, chars, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

const shortenNamed = (schemas: JsonObject, chars: number, depth: number): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, shortenSchema(each, chars, depth + 1)]));

/** The first sentences that fit, else the first characters. */
function shorten(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const start = cutBetweenCodePoints(text, Math.max(0, chars - 4));
  const end = Math.max(start.lastIndexOf(". "), start.lastIndexOf(".\n"), start.lastIndexOf("\n\n"));
  return `${(end > start.length / 2 ? start.slice(0, end + 1) : start).trimEnd()} ...`;
}

/** The definitions as they were, to be read by name. */
export function writeDefinitions(tools: readonly JsonObject[]): string {
  const sections = tools.map(
    ({ name, description, inputSchema }) =>
      `# ${toText(name) ?? ""}\n\n${toText(description) ?? ""}\n\n\`\`\`json\n${JSON.stringify(inputSchema ?? {}, null, 2)}\n\`\`\``,
  );
  return `${sections.join("\n\n")}\n`;
}
