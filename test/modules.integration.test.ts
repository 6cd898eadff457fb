import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeTemporaryFolder } from "./bodies.ts";
import { drawLine, writePdf } from "./pdf.ts";

/** What a process of the real command line does, and the modules under src/ that it may load for that. */
type Flow = {
  readonly name: string;
  readonly args: readonly string[];
  /** The most modules it may load: what it loads today and a little slack. Lower it when a flow loads less. */
  readonly maxModules: number;
  /** Folders and files under src/ of which nothing is loaded. */
  readonly without: readonly string[];
  /** For a process that does not end on its own: ends it once it is up. */
  readonly stop?: (child: ChildProcessWithoutNullStreams) => Promise<void>;
};

/** Modules that may be loaded although their folder is unwanted, with the reason. */
const exceptions = new Set([
  // Guards standard output before anything else can write to it.
  "surfaces/mcp/stdout.ts",
  // Loads the rest of its folder only where the settings name a service.
  "search/embed/lazy-embedding.ts",
]);

const otherSurfaces = ["surfaces/mcp", "surfaces/proxy", "surfaces/runner", "surfaces/ai-sdk"];
const htmlEngine = ["choose", "data", "filter", "math", "tree", "write", "html-engine.ts"].map(
  (name) => `extract/html/${name}`,
);
const pdfEngines = ["pdf-engine.ts", "pdfjs.ts", "document.ts"].map((name) => `extract/pdf/${name}`);
const httpClient = ["acquire/http/http-client.ts", "acquire/render"];

/** Loaded by no flow, because none has a collector. */
const openTelemetry = ["telemetry/otlp", "session/open-telemetry.ts"];

const sourceText = "# Weirs\n\nA weir is a barrier across a river.\n";
const page = `<!doctype html><title>Weirs</title><article><h1>Weirs</h1><p>${"A weir is a barrier. ".repeat(20)}</p></article>`;

/** The table of settings is nine modules. Every session counts: 3, and the rows of usage where something was counted. */
const flows: readonly Flow[] = [
  { name: "--version", args: ["--version"], maxModules: 12, without: ["config", "session", "verbs", "extract"] },
  {
    name: "detect FILE",
    args: ["detect", "weir.txt"],
    maxModules: 126,
    without: [
      "search",
      "overflow",
      "tools",
      "retrieval",
      "extract/html",
      "extract/pdf",
      ...httpClient,
      ...otherSurfaces,
    ],
  },
  {
    name: "fetch FILE.txt",
    args: ["fetch", "weir.txt"],
    maxModules: 195,
    without: [
      "search",
      "overflow",
      "tools",
      "retrieval",
      ...htmlEngine,
      ...pdfEngines,
      ...httpClient,
      ...otherSurfaces,
    ],
  },
  {
    name: "fetch FILE.html",
    args: ["fetch", "weir.html"],
    maxModules: 274,
    without: ["search", "overflow", "tools", "retrieval", ...pdfEngines, ...httpClient, ...otherSurfaces],
  },
  {
    name: "fetch FILE.pdf",
    args: ["fetch", "weir.pdf"],
    maxModules: 196,
    without: [
      "search",
      "overflow",
      "tools",
      "retrieval",
      ...htmlEngine,
      ...pdfEngines,
      ...httpClient,
      ...otherSurfaces,
    ],
  },
  {
    name: "read REF",
    args: ["read", "REF"],
    maxModules: 153,
    without: ["search", "overflow", "tools", ...htmlEngine, ...pdfEngines, ...httpClient, ...otherSurfaces],
  },
  {
    name: "search",
    args: ["search", "weir"],
    // A first search writes rows of jobs, leases, generations and segments: 5 modules that a search without changes does
    // not load.
    maxModules: 212,
    without: [
      "search/embed",
      "overflow",
      "tools",
      "extract/html",
      "extract/pdf",
      "extract/pool",
      ...httpClient,
      ...otherSurfaces,
    ],
  },
  {
    name: "index",
    args: ["index"],
    maxModules: 210,
    without: [
      "search/embed",
      "overflow",
      "tools",
      "extract/html",
      "extract/pdf",
      "extract/pool",
      ...httpClient,
      ...otherSurfaces,
    ],
  },
  {
    name: "mcp",
    args: ["mcp"],
    // 16 of them are web search: which tools are listed depends on the keys that each provider names.
    maxModules: 348,
    without: [
      "search/embed",
      "overflow",
      "surfaces/proxy",
      "surfaces/runner",
      "surfaces/ai-sdk",
      ...htmlEngine,
      ...pdfEngines,
    ],
    stop: async (child) => {
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
      await once(child.stdout, "data");
      child.stdin.end();
    },
  },
  {
    name: "proxy",
    args: ["proxy", "--set", "proxy.port=0"],
    maxModules: 185,
    without: ["search", "verbs", "tools", "extract", "surfaces/mcp", "surfaces/runner", "surfaces/ai-sdk"],
    stop: async (child) => {
      await once(child.stdout, "data");
      child.kill("SIGTERM");
    },
  },
  {
    name: "serve",
    args: ["serve", "--set", "serve.port=0"],
    // The MCP server, and what checks a request before it.
    maxModules: 391,
    without: [
      "search/embed",
      "overflow",
      "surfaces/serve/guard/jwt-callers.ts",
      "acquire/http/transport",
      "surfaces/proxy",
      "surfaces/runner",
      "surfaces/ai-sdk",
      ...htmlEngine,
    ],
    stop: async (child) => {
      await once(child.stdout, "data");
      child.kill("SIGTERM");
    },
  },
];

describe("a command loads only the modules it uses", () => {
  const root = join(import.meta.dirname, "..", "src");
  let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>;
  let ref = "";

  before(async () => {
    folder = await makeTemporaryFolder();
    await mkdir(join(folder.path, "work"));
    await writeFile(join(folder.path, "work", "weir.txt"), sourceText);
    await writeFile(join(folder.path, "work", "weir.html"), page);
    await writeFile(
      join(folder.path, "work", "weir.pdf"),
      writePdf([{ content: drawLine("A weir is a barrier.", 50, 700) }]),
    );
    const { out } = await run(["fetch", "weir.txt", "--json"]);
    ref = JSON.parse(out).artifact_ref;
  });
  after(() => folder[Symbol.asyncDispose]());

  async function run(args: readonly string[], stop: Flow["stop"] = async (child) => void child.stdin.end()) {
    const preload = pathToFileURL(join(import.meta.dirname, "log-modules.ts")).href;
    const argv = ["--import", preload, join(root, "surfaces", "cli", "process.ts"), ...args];
    const env = {
      PATH: process.env.PATH,
      HOME: folder.path,
      SPILLWAY_HOME: join(folder.path, "home"),
      MODULE_LOG_FOLDER: folder.path,
    };
    const child = spawn(process.execPath, argv, { cwd: join(folder.path, "work"), env });
    const [out, err] = [Array.fromAsync(child.stdout), Array.fromAsync(child.stderr)];
    const exited = once(child, "exit");
    await stop(child);
    const [status] = await exited;
    assert.ok(status === 0 || status === 130, Buffer.concat(await err).toString());
    const urls = (await readFile(join(folder.path, `${child.pid}.txt`), "utf8")).split("\n");
    const prefix = `${pathToFileURL(root).href}/`;
    const modules = urls.flatMap((url) => (url.startsWith(prefix) ? [url.slice(prefix.length)] : []));
    return { out: Buffer.concat(await out).toString(), modules };
  }

  for (const { name, args, maxModules, without, stop } of flows) {
    test(name, async () => {
      const unused = [...without, ...openTelemetry];
      for (const part of unused) assert.ok(existsSync(join(root, part)), `there is no src/${part}`);
      const { modules } = await run(
        args.map((arg) => (arg === "REF" ? ref : arg)),
        stop,
      );
      const unwanted = modules.filter((path) => !exceptions.has(path) && unused.some((part) => isIn(path, part)));
      assert.deepEqual(unwanted, [], `${name} has no use for these modules`);
      assert.ok(modules.length <= maxModules, `${name} loads ${modules.length} modules:\n${perFolder(modules)}`);
    });
  }
});

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** `3 fit: budget limits measure`, a line for each folder. */
function perFolder(modules: readonly string[]): string {
  const folders = Map.groupBy(modules.toSorted(), dirname);
  return [...folders]
    .map(([folder, paths]) => {
      const names = paths.map((path) => path.slice(path.lastIndexOf("/") + 1, -3));
      return `${names.length} ${folder}: ${names.join(" ")}`;
    })
    .join("\n");
}
