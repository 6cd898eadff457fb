/** Five tasks of an agent through MCP, in tokens: what the calls and replies cost, and whether the answer is in them. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import tokenizer from "llama3-tokenizer-js";
import { makePdfWithPages } from "../test/pdf.ts";

export const about = "tokens of five tasks through MCP, beside context-mode";

const root = join(import.meta.dirname, "..");
const LOG_LINES = 40_000;
const SECTIONS = 400;

type Call = { readonly tool: string; readonly input: Record<string, unknown> };
type Task = {
  readonly name: string;
  readonly answer: RegExp;
  readonly calls: Readonly<Record<string, readonly Call[]>>;
};
type Server = { readonly name: string; readonly command: readonly string[] };

/** Spillway, and context-mode if the variable names its server file. */
function listServers(): Server[] {
  const peer = process.env.SPILLWAY_CONTEXT_MODE;
  const ours = { name: "spillway", command: [join(root, "src", "surfaces", "cli", "process.ts"), "mcp"] };
  if (peer === undefined)
    console.log("context-mode is left out: SPILLWAY_CONTEXT_MODE does not name its server file.\n");
  return [ours, ...(peer === undefined ? [] : [{ name: "context-mode", command: [peer] }])];
}

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "spillway-bench-"));
  const pages = await servePages();
  try {
    const work = writeSources(folder);
    const tasks = listTasks(pages.url);
    console.log("| | definitions | task | calls | tokens | answered |\n|---|---|---|---|---|---|");
    for (const server of listServers()) await runServer(server, tasks, work, join(folder, server.name), pages.url);
  } finally {
    pages.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runServer(server: Server, tasks: readonly Task[], work: string, home: string, origin: string) {
  mkdirSync(home, { recursive: true });
  const client = new Client({ name: "claude-code", version: "2.1.325" }, { versionNegotiation: { mode: "legacy" } });
  const { host } = new URL(origin);
  const env = {
    PATH: process.env.PATH ?? "",
    TMPDIR: tmpdir(),
    HOME: home,
    SPILLWAY_HOME: home,
    SPILLWAY_NETWORK_ALLOW: host,
  };
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...server.command],
      cwd: work,
      env,
      stderr: "ignore",
    }),
  );
  const { tools } = await client.listTools();
  const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const definitions = countTokens(JSON.stringify(shown));
  for (const { name, answer, calls } of tasks) {
    const texts: string[] = [];
    for (const { tool, input } of calls[server.name] ?? []) {
      texts.push(
        JSON.stringify(input),
        JSON.stringify((await client.callTool({ name: tool, arguments: input })).content),
      );
    }
    const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
    const found = answer.test(texts.filter((_, index) => index % 2 === 1).join("\n"));
    console.log(
      `| ${server.name} | ${definitions} | ${name} | ${texts.length / 2} | ${tokens} | ${found ? "yes" : "no"} |`,
    );
  }
  await client.close();
}

const countTokens = (text: string): number => tokenizer.encode(text, { bos: false, eos: false }).length;

/** Each task with the calls that its server's own description recommends. */
function listTasks(origin: string): Task[] {
  const index = (input: Record<string, unknown>) => ({ tool: "ctx_index", input });
  const search = (query: string) => ({ tool: "ctx_search", input: { queries: [query] } });
  const fetchPage = (url: string) => ({ tool: "ctx_fetch_and_index", input: { url } });
  const fetch = (url: string, prompt?: string) => [
    { tool: "fetch_content", input: { url, ...(prompt && { prompt }) } },
  ];
  const long = `${origin}/long`;
  const depth = "how deep is the gate of section 317";
  const fault = "why did the pump stop";
  const report = "who inspected the spillway gate";
  const code = "how is a reply fitted to the limit of a client";
  return [
    {
      name: "a small page",
      answer: /holds the water back/,
      calls: { spillway: fetch(`${origin}/small`), "context-mode": [fetchPage(`${origin}/small`)] },
    },
    {
      name: "a fact deep in a long page",
      answer: /317 [^.]*is 42\.5 metres deep/,
      calls: { spillway: fetch(long, depth), "context-mode": [fetchPage(long), search(depth)] },
    },
    {
      name: "a question about a PDF",
      answer: /inspected by Ada Moreau/,
      calls: { spillway: fetch("report.pdf", report), "context-mode": [index({ path: "report.pdf" }), search(report)] },
    },
    {
      name: "an error in a log of 3 MB",
      answer: /bearing seized/,
      calls: { spillway: fetch("pump.log", fault), "context-mode": [index({ path: "pump.log" }), search(fault)] },
    },
    {
      name: "a question about code",
      answer: /fit-reply\.ts/,
      calls: {
        spillway: [{ tool: "search_code", input: { query: code, repo_path: "code" } }],
        "context-mode": [index({ path: "code/fit-reply.ts" }), search(code)],
      },
    },
  ];
}

function writeSources(folder: string): string {
  const work = join(folder, "work");
  mkdirSync(work);
  const pages = Array.from({ length: 60 }, (_, page) =>
    page === 41
      ? "The spillway gate was inspected by Ada Moreau in May."
      : `Page ${page + 1} lists the water levels of the week.`,
  );
  writeFileSync(join(work, "report.pdf"), makePdfWithPages(pages));
  const lines = Array.from({ length: LOG_LINES }, (_, line) =>
    line === 31_111
      ? "2026-05-04T11:02:09Z ERROR pump 7 stopped: bearing seized at 91 C"
      : `2026-05-04T10:00:00Z INFO pump ${line % 9} reports level ${line % 97} and flow ${line % 89}`,
  );
  writeFileSync(join(work, "pump.log"), `${lines.join("\n")}\n`);
  cpSync(join(root, "src", "fit"), join(work, "code"), { recursive: true });
  return work;
}

/** Serves a small page and a long one on this machine. */
async function servePages() {
  const small =
    "<title>Weirs</title><article><h1>Weirs</h1><p>A weir is a barrier that holds the water back.</p></article>";
  const sections = Array.from({ length: SECTIONS }, (_, n) => {
    const depth = n === 317 ? "42.5" : String(n % 40);
    return `<h2>Section ${n}</h2><p>The gate of section ${n} is ${depth} metres deep and was painted in ${1900 + (n % 99)}.</p>`;
  });
  const server = createServer((request, response) => {
    const body = request.url === "/small" ? small : `<title>Gates</title><article>${sections.join("\n")}</article>`;
    response
      .setHeader("content-type", "text/html; charset=utf-8")
      .end(`<!doctype html><html><body>${body}</body></html>`);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
