/** A scripted model behind a real socket, in the four formats that clients speak. It records what it is sent. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { type Dialect, type RequestBody, toFields } from "../../src/overflow/dialects/dialect.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../src/overflow/dialects/simulator.ts";
import { httpSimulators } from "../../src/overflow/dialects/simulators.ts";
import { findResults } from "../scripted.ts";

/** A tool that the model is offered. */
type SeenTool = {
  readonly name: string;
  /** Its definition as JSON. */
  readonly definition: string;
  /** The name in two parts, as Codex wants it back. */
  readonly parts?: { readonly namespace: string; readonly name: string };
};

/** What the model saw in one request. */
export type SeenRequest = {
  /** The tools that it could call, with the JSON of their definitions. */
  readonly tools: readonly SeenTool[];
  readonly results: readonly string[];
};

/** Whether a tool is ours: most clients put the name of the server into the names of its tools. */
export const isOurTool = (name: string): boolean =>
  name.includes("spillway") || /^(?:fetch_content|read_artifact|search_code|index_repository)$/.test(name);

/** The one tool by which pi's adapter calls the tools of all servers. */
const PROXY_TOOL = "mcp";

/** Some clients ask the model before our server has started. One that finds no tool of ours thinks for this long. */
const START_MS = 4_000;

/** A model that gets nowhere ends its task. */
const MAX_RESULTS = 8;

/** Whether a result has content of the two files, and not a description of tools or an error. */
export const isOurReply = (text: string): boolean => /A weir is a barrier|sample \d{5}: water/.test(text);

/** Fetches a short file and a long one, reads on where the long one was cut, and ends. */
export function decide(seen: SeenRequest): ScriptedAnswer {
  const { results } = seen;
  const ours = results.filter(isOurReply);
  if (results.length > MAX_RESULTS) return { text: "I have tried often enough." };
  const call = (name: string, input: ScriptedCall["input"]) => callTool(seen, "spillway", name, input);
  if (ours.length === 0) return call("fetch_content", { url: "short.txt" });
  if (ours.length === 1) return call("fetch_content", { url: "long.txt", maxChars: 100_000 });
  const [ref] = /af_[0-9a-f]{32}/.exec(ours[1] ?? "") ?? [];
  const offset = findOffset(ours[1] ?? "");
  if (ours.length === 2 && ref && offset !== undefined) return call("read_artifact", { artifact_ref: ref, offset });
  return { text: "All is read." };
}

/** The word in the middle of the flood. */
export const NEEDLE = "NEEDLE 4711";
/** The characters of the flood, half of them before the word. */
export const FLOOD_CHARS = 500_000;

/** Calls a server that answers with far too much, asks for the fact in its middle, and ends. */
export function decideFlood(seen: SeenRequest): ScriptedAnswer {
  const { results } = seen;
  const pages = results.filter((text) => /af_[0-9a-f]{32}/.test(text));
  if (results.length > MAX_RESULTS) return { text: "I have tried often enough." };
  const [ref] = /af_[0-9a-f]{32}/.exec(pages[0] ?? "") ?? [];
  if (ref === undefined) return callTool(seen, "flood", "text", { chars: FLOOD_CHARS / 2 });
  if (results.at(-1) !== pages[0] && pages.length > 1) return { text: "The fact is found." };
  return callTool(seen, "flood", "read_artifact", { artifact_ref: ref, query: "NEEDLE" });
}

/** A call of a server's tool, as the client spells it; or a search for it, where the client lists no tools. */
function callTool(
  { tools, results }: SeenRequest,
  server: string,
  name: string,
  input: ScriptedCall["input"],
): ScriptedAnswer {
  // Some clients list a tool that was searched for, others only describe it in the result.
  const described = results.flatMap((text) =>
    [...text.matchAll(/"name":\s*"([\w/-]+)"/g)].map(([, found = ""]) => found),
  );
  const names = [...tools.map((each) => each.name), ...described];
  const tool = names.find((each) => each === name || (each.includes(server) && each.endsWith(name)));
  if (tool !== undefined) return { calls: [{ tool, input }] };
  if (names.includes(PROXY_TOOL))
    return { calls: [{ tool: PROXY_TOOL, input: { tool: `${server}_${name}`, args: JSON.stringify(input) } }] };
  const search = tools.find((each) => /^tool_?search$/i.test(each.name))?.name;
  if (search === undefined) return { text: `There is no ${name}.` };
  // A client may end a model that repeats itself.
  return { calls: [{ tool: search, input: { query: `${server} ${name}`, max_results: 5 + results.length } }] };
}

/** The offset of the next call that a reply names, in its text or in its fields. */
export function findOffset(reply: string): number | undefined {
  const offset = /\boffset=(\d+)/.exec(reply)?.[1] ?? /next_offset\\*":\s*(\d+)/.exec(reply)?.[1];
  return offset === undefined ? undefined : Number(offset);
}

/** Serves a model on loopback that answers as `choose` says. */
export async function serveModel(choose: (seen: SeenRequest) => ScriptedAnswer = decide) {
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync<Buffer>(request);
    const { pathname } = new URL(request.url ?? "/", "http://model");
    const simulator = httpSimulators.find(({ path }) => path.test(pathname));
    if (request.method !== "POST" || simulator === undefined) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: [], object: "list", models: [], input_tokens: 10, totalTokens: 10 }));
      return;
    }
    const json = decompress(Buffer.concat(chunks), request.headers["content-encoding"]);
    const body: RequestBody = JSON.parse(json);
    const seen = readRequest(body, simulator.dialect);
    if (seen.tools.length > 0) requests.push(seen);
    const usage = { input: 1_000, output: 20 };
    if (!simulator.asksForStream(pathname, json)) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(simulator.wholeAnswer));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const answer = seen.tools.length > 0 ? choose(seen) : { text: "done" };
    const found = [...seen.tools.map(({ name }) => name), ...seen.results];
    const hasFound = found.some((text) => isOurTool(text) || text.includes("flood") || text === PROXY_TOOL);
    if (seen.results.length > 0 && !hasFound) await setTimeout(START_MS);
    for (const chunk of simulator.writeStream(answer, usage, requests.length))
      response.write(writeForCodex(chunk, seen));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Codex takes calls of the tools of a server by two names, and a search for tools as an item of its own. */
function writeForCodex(chunk: string, { tools }: SeenRequest): string {
  const [, json] = /^data: (\{.*"function_call".*\})\n\n$/.exec(chunk) ?? [];
  if (json === undefined) return chunk;
  const event = toFields(JSON.parse(json));
  const item = toFields(event.item);
  const tool = tools.find(({ name }) => name === item.name);
  const search = { type: "tool_search_call", execution: "client", call_id: item.call_id, status: "completed" };
  const isSearch = tool?.definition.startsWith('{"type":"tool_search"');
  const written = isSearch
    ? { ...search, arguments: JSON.parse(String(item.arguments || "{}")) }
    : { ...item, ...tool?.parts };
  return `data: ${JSON.stringify({ ...event, item: written })}\n\n`;
}

function decompress(bytes: Buffer, encoding: string | undefined): string {
  if (encoding === "gzip") return gunzipSync(bytes).toString();
  if (encoding === "zstd") return zstdDecompressSync(bytes).toString();
  if (encoding === "br") return brotliDecompressSync(bytes).toString();
  return bytes.toString();
}

function readRequest(body: RequestBody, dialect: Dialect): SeenRequest {
  const items = Array.isArray(body.input) ? body.input.map(toFields) : [];
  // Codex sends the tools that a search has found in an item of the conversation.
  const found = items.filter(({ type }) => type === "tool_search_output").map(({ tools }) => tools);
  const tools = [body.tools, ...found]
    .flatMap((list) => (Array.isArray(list) ? list.map(toFields) : []))
    .flatMap(readTools);
  return { tools, results: findResults(body, dialect) };
}

/** The tools of one item: Gemini lists declarations, and Codex puts the tools of a server into a namespace. */
function readTools(item: Readonly<Record<string, unknown>>): SeenTool[] {
  const { name: namespace } = item;
  const inner = [item.functionDeclarations, item.tools].find(Array.isArray)?.map(toFields).flatMap(readTools);
  if (inner !== undefined && typeof namespace === "string") {
    return inner.map(({ name, definition }) => ({
      name: `${namespace}/${name}`,
      definition,
      parts: { namespace, name },
    }));
  }
  if (inner !== undefined) return inner;
  const { name = item.type } = "function" in item ? toFields(item.function) : item;
  return [{ name: String(name), definition: JSON.stringify(item) }];
}
