/** Writes the description of an API: a section for each path, a line for each operation with what it takes and returns. */
import { isRecord, toFields, toLine, toList } from "../../system/json-values.ts";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

export function writeApi(description: unknown): { readonly markdown: string; readonly title: string } {
  const api = toFields(description);
  const info = toFields(api.info);
  const title = [toLine(info.title), toLine(info.version)].filter(Boolean).join(" ");
  const schemas = toFields(toFields(api.components).schemas ?? api.definitions);
  const parts = [
    `# ${title || "API"}`,
    typeof info.description === "string" ? info.description.trim() : "",
    listServers(api),
    "## Operations",
    ...Object.entries(toFields(api.paths)).map(([path, item]) => writePath(path, toFields(item))),
    Object.keys(schemas).length === 0 ? "" : "## Schemas",
    ...Object.entries(schemas).map(([name, schema]) => `- **${name}**: ${writeSchema(schema)}`),
  ];
  return { markdown: `${parts.filter((part) => part !== "").join("\n\n")}\n`, title };
}

/** OpenAPI 3 lists servers, Swagger 2 names a host. */
function listServers(api: Readonly<Record<string, unknown>>): string {
  const servers = toList(api.servers).map((server) => toLine(toFields(server).url));
  const host = toLine(api.host);
  const all = host === "" ? servers : [`${host}${toLine(api.basePath)}`];
  return all.length === 0 ? "" : `Servers: ${all.join(", ")}`;
}

function writePath(path: string, item: Readonly<Record<string, unknown>>): string {
  const operations = methods.flatMap((method) =>
    isRecord(item[method]) ? [writeOperation(method, path, item[method], toList(item.parameters))] : [],
  );
  return operations.join("\n\n");
}

function writeOperation(
  method: string,
  path: string,
  operation: Readonly<Record<string, unknown>>,
  shared: readonly unknown[],
): string {
  const parameters = [...shared, ...toList(operation.parameters)].map(writeParameter).filter(Boolean);
  const body = findSchema(operation.requestBody);
  const responses = Object.entries(toFields(operation.responses)).map(([status, response]) => {
    const schema = findSchema(response);
    return `${status} ${schema === undefined ? toLine(toFields(response).description) : writeSchema(schema)}`.trim();
  });
  const lines = [
    `### ${method.toUpperCase()} ${path}`,
    [toLine(operation.summary), operation.deprecated === true ? "(deprecated)" : ""].filter(Boolean).join(" "),
    toLine(operation.description) === toLine(operation.summary) ? "" : toLine(operation.description),
    parameters.length === 0 ? "" : `- takes: ${parameters.join(", ")}`,
    body === undefined ? "" : `- body: ${writeSchema(body)}`,
    responses.length === 0 ? "" : `- returns: ${responses.join("; ")}`,
  ];
  return lines.filter((line) => line !== "").join("\n");
}

function writeParameter(parameter: unknown): string {
  const { $ref, name, in: place, required, schema, type } = toFields(parameter);
  if (typeof $ref === "string") return nameRef($ref);
  const kind = toLine(type) || writeSchema(schema);
  return `${toLine(name)}${required === true ? "" : "?"}: ${kind} (${toLine(place)})`;
}

/** The schema of a body or a response, of its first media type. */
function findSchema(holder: unknown): unknown {
  const { content, schema } = toFields(holder);
  return schema ?? toFields(Object.values(toFields(content))[0]).schema;
}

/** Deeper than this a schema is named by its type only. */
const MAX_DEPTH = 3;

function writeSchema(schema: unknown, depth = 0): string {
  const { $ref, type, properties, required, items, enum: values, oneOf, anyOf, allOf } = toFields(schema);
  if (typeof $ref === "string") return nameRef($ref);
  if (Array.isArray(values)) return values.map(writeValue).join(" or ");
  for (const [list, joiner] of [
    [oneOf, " or "],
    [anyOf, " or "],
    [allOf, " and "],
  ] as const)
    if (Array.isArray(list) && depth < MAX_DEPTH) return list.map((each) => writeSchema(each, depth + 1)).join(joiner);
  if (items !== undefined && depth < MAX_DEPTH) return `${writeSchema(items, depth + 1)}[]`;
  if (isRecord(properties) && depth < MAX_DEPTH) {
    const names = new Set(toList(required));
    const fields = Object.entries(properties).map(
      ([name, each]) => `${name}${names.has(name) ? "" : "?"}: ${writeSchema(each, depth + 1)}`,
    );
    return `{ ${fields.join(", ")} }`;
  }
  return (Array.isArray(type) ? type.map(toLine).join(" or ") : toLine(type)) || "any";
}

/** A value of an enumeration. One with parts is named only: it may be nested deeper than a stack can be. */
function writeValue(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return isRecord(value) ? "an object" : JSON.stringify(value);
}

const nameRef = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);
