/** Lines that are ready to paste: how each client is connected to the running server. */
import type { Client, EntryFields } from "../clients/client.ts";
import { clients } from "../clients/clients.ts";
import { writeInline } from "../clients/formats/inline-json.ts";

/** Where the server is, and the token for it. */
export type Connection = { readonly url: string; readonly token: string };

type MakeFields = (connection: Connection, headers: Readonly<Record<string, string>>) => EntryFields;

/** The fields of an entry for a server over HTTP. Claude Desktop reads only servers that it starts from its file. */
const entryFields: Readonly<Record<string, MakeFields>> = {
  codex: ({ url }, headers) => ({ url, http_headers: headers }),
  cursor: ({ url }, headers) => ({ url, headers }),
  vscode: ({ url }, headers) => ({ type: "http", url, headers }),
  copilot: ({ url }, headers) => ({ type: "http", url, headers, tools: ["*"] }),
  gemini: ({ url }, headers) => ({ httpUrl: url, headers }),
  qwen: ({ url }, headers) => ({ httpUrl: url, headers }),
  opencode: ({ url }, headers) => ({ type: "remote", url, headers, enabled: true }),
  pi: ({ url }, headers) => ({ url, headers }),
  zed: ({ url }, headers) => ({ url, headers }),
  goose: ({ url }, headers) => ({
    name: "spillway",
    type: "streamable_http",
    enabled: true,
    uri: url,
    headers,
    timeout: 300,
  }),
  cline: ({ url }, headers) => ({ type: "streamableHttp", url, headers }),
  continue: ({ url }, headers) => ({ name: "spillway", type: "streamable-http", url, requestOptions: { headers } }),
  windsurf: ({ url }, headers) => ({ serverUrl: url, headers }),
};

/** A line for each client that can connect, with its name before it. */
export function listPasteLines(connection: Connection): string[] {
  const lines = clients.flatMap((client) => {
    const line = writeLine(client, connection);
    return line === undefined ? [] : [{ title: client.title, line }];
  });
  const width = Math.max(...lines.map(({ title }) => title.length)) + 1;
  return lines.map(({ title, line }) => `${`${title}:`.padEnd(width)} ${line}`);
}

function writeLine(client: Client, connection: Connection): string | undefined {
  if (client.id === "claude-code")
    return `claude mcp add --transport http spillway ${connection.url} --header "Authorization: Bearer ${connection.token}"`;
  const fields = entryFields[client.id]?.(connection, { Authorization: `Bearer ${connection.token}` });
  if (fields === undefined) return undefined;
  const place = client.shape.container({});
  if (client.format === "TOML") return writeToml([...place, "spillway"], fields);
  const servers = client.shape.isList ? [fields] : { spillway: fields };
  const line = writeInline(
    place.reduceRight<EntryFields | readonly EntryFields[]>((value, key) => ({ [key]: value }), servers),
  );
  // A file of YAML has no braces around it that the line could be put into.
  return client.format === "YAML" ? line.slice(1, -1).trim() : line;
}

/** One line of TOML: dotted keys need no table header, so the line can be added anywhere above the first table. */
function writeToml(path: readonly string[], fields: EntryFields): string {
  const inline = Object.entries(fields).map(([key, value]) => `${key} = ${writeTomlValue(value)}`);
  return `${path.join(".")} = { ${inline.join(", ")} }`;
}

function writeTomlValue(value: EntryFields[string]): string {
  if (typeof value !== "object") return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)} = ${writeTomlValue(field)}`);
  return `{ ${pairs.join(", ")} }`;
}
