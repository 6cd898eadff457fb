/** Uses our server as a client does: lists the tools, fetches a text that is too long, and reads on where it was cut. */
import { isRecord } from "../../system/json-values.ts";
import { version } from "../../version.ts";
import type { Client } from "./client.ts";
import { type ConnectionOptions, type McpConnection, openConnection, ServerFault } from "./mcp-connection.ts";

/** What one reply holds, in both forms. */
export type ProbeReply = {
  /** The text blocks, joined. */
  readonly text: string;
  /** The structured content as JSON; empty if there is none. */
  readonly structured: string;
  /** The numbers of the first and the last whole sample line in it. */
  readonly lines: readonly [first: number, last: number] | undefined;
};

export type ProbeReport = {
  readonly serverName: string;
  readonly revision: string;
  readonly tools: readonly string[];
  /** The characters of all definitions, as JSON without output schemas, which models are not shown. */
  readonly definitionChars: number;
  readonly first: ProbeReply;
  /** The reply to the call that the first one names; undefined if it names none. */
  readonly next: ProbeReply | undefined;
  /** The call that was made to read on. */
  readonly readOn: string | undefined;
};

/** More than every client takes. */
const SAMPLE_LINES = 4_000;
const sampleLine = (number: number): string => `sample ${String(number).padStart(5, "0")}: water flows over the weir.`;
const sampleText = (): string => Array.from({ length: SAMPLE_LINES }, (_, index) => sampleLine(index + 1)).join("\n");
export const SAMPLE_CHARS = sampleText().length;

/** Starts the server and uses it. Throws a `ServerFault` if it does not work. */
export async function probeServer(client: Client, options: ConnectionOptions): Promise<ProbeReport> {
  await using connection = openConnection(options);
  const clientInfo = { name: client.introducesAs, version };
  const started = await connection.request("initialize", {
    protocolVersion: client.revision,
    capabilities: {},
    clientInfo,
  });
  connection.notify("notifications/initialized");
  const listed = await connection.request("tools/list", {});
  const definitions = Array.isArray(listed.tools) ? listed.tools.filter(isRecord) : [];
  const tools = definitions.map(({ name }) => String(name));
  const url = `data:text/plain;base64,${Buffer.from(sampleText()).toString("base64")}`;
  const first = await callTool(connection, "fetch_content", { url, maxChars: 100_000 });
  const position = findReadOn(first);
  const next = position && (await callTool(connection, "read_artifact", position));
  return {
    serverName: isRecord(started.serverInfo) ? `${started.serverInfo.name} ${started.serverInfo.version}` : "a server",
    revision: String(started.protocolVersion),
    tools,
    definitionChars: JSON.stringify(
      definitions.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    ).length,
    first,
    next,
    readOn: position && `read_artifact artifact_ref=${position.artifact_ref} offset=${position.offset}`,
  };
}

async function callTool(connection: McpConnection, name: string, args: object): Promise<ProbeReply> {
  const result = await connection.request("tools/call", { name, arguments: args });
  const blocks = Array.isArray(result.content) ? result.content.filter(isRecord) : [];
  const text = blocks.map((block) => (typeof block.text === "string" ? block.text : "")).join("");
  const structured = isRecord(result.structuredContent) ? JSON.stringify(result.structuredContent) : "";
  if (result.isError === true) throw new ServerFault(`${name} failed: ${text.slice(0, 300)}`);
  return { text, structured, lines: findLines(text) ?? findLines(structured) };
}

/** The whole lines of the sample that a text shows. Throws if one of them is missing between the others. */
function findLines(text: string): [first: number, last: number] | undefined {
  const numbers = [...text.matchAll(/sample (\d{5}): water flows over the weir\./g)].map(([, number]) =>
    Number(number),
  );
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (last - first + 1 !== numbers.length) throw new ServerFault("Lines are missing in the middle of a reply.");
  return [first, last];
}

/** The ref and the next offset that a reply names, in whichever form it does. */
function findReadOn({ text, structured }: ProbeReply): { artifact_ref: string; offset: number } | undefined {
  const [ref] = /af_[0-9a-f]{32}/.exec(text + structured) ?? [];
  const offset = /\boffset=(\d+)/.exec(text)?.[1] ?? /"next_offset":(\d+)/.exec(structured)?.[1];
  return ref === undefined || offset === undefined ? undefined : { artifact_ref: ref, offset: Number(offset) };
}
