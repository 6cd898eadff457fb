import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { assetNames } from "../src/surfaces/serve/dashboard/assets.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { installNode, nodePackage } from "./node-versions.ts";
import { makePdfWithPages } from "./pdf.ts";

const root = join(import.meta.dirname, "..");
const run = promisify(execFile);

const isSession = /^(?:session|fetch)-/;

/** A file of the package and all that it imports when it is loaded. */
async function reachFiles(dist: string, start: string): Promise<ReadonlySet<string>> {
  const reached = new Set([start]);
  for (const name of reached) {
    const text = await readFile(join(dist, name), "utf8");
    for (const [, imported = ""] of text.matchAll(/^(?:import|export)\b[^;]*?"\.\/([^"]+)";/gm)) reached.add(imported);
  }
  return reached;
}

describe("the packed package, installed elsewhere", () => {
  let folder: string;

  before(async () => {
    folder = (await makeTemporaryFolder()).path;
    await run("npm", ["pack", "--pack-destination", folder], { cwd: root });
    await writeFile(join(folder, "package.json"), '{ "name": "user", "private": true, "type": "module" }');
    await mkdir(join(folder, "latest-types"));
    await symlink(join(root, "node_modules", "node-types-latest"), join(folder, "latest-types", "node"));
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    // All dependencies are installed from our own node_modules: a test opens no connection.
    const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
    const isNeeded = (path: string) => path !== "" && !packages[path].dev && !packages[path].optional;
    const dependencies = Object.keys(packages)
      .filter(isNeeded)
      .map((path) => join(root, path));
    const tarball = join(folder, `spillway-${version}.tgz`);
    await run(
      "npm",
      ["install", "--offline", "--install-links", "--ignore-scripts", "--no-audit", tarball, ...dependencies],
      {
        cwd: folder,
      },
    );
  });

  const env = (): NodeJS.ProcessEnv => ({ ...process.env, SPILLWAY_HOME: join(folder, "home") });

  /** Checks every declaration, of the package too, with the types of the Node we build with and of the newest one. */
  async function typeCheck(file: string): Promise<void> {
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--skipLibCheck", "false"];
    const libraries = ["--lib", "es2024,esnext.disposable"];
    for (const typeRoot of [join(root, "node_modules", "@types"), join(folder, "latest-types")]) {
      const types = ["--typeRoots", typeRoot, "--types", "node"];
      await run(join(root, "node_modules", ".bin", "tsc"), [...options, ...libraries, ...types, file], { cwd: folder });
    }
  }

  test("runs through npx", async () => {
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    assert.equal((await run("npx", ["--offline", "spillway", "--version"], { cwd: folder })).stdout, `${version}\n`);
    await writeFile(join(folder, "a.txt"), "hello from a file");
    const { stdout } = await run("npx", ["--offline", "spillway", "fetch", "a.txt"], { cwd: folder, env: env() });
    assert.match(stdout, /artifact_ref=af_[0-9a-f]{32}[\s\S]*hello from a file/);
  });

  test("loads few files for a fetch, no command with the library, and no session into a child that parses", async () => {
    const dist = join(folder, "node_modules", "spillway", "dist");
    const [fetchCommand = ""] = (await readdir(dist)).filter((name) => name.startsWith("fetch-command-"));
    const ofFetch = await reachFiles(dist, fetchCommand);
    assert.ok(ofFetch.size <= 15, [...ofFetch].join(" "));
    assert.ok([...ofFetch].some((name) => isSession.test(name)));
    for (const entry of ["index.js", "mcp.js", "ai-sdk.js", "testing.js"])
      assert.ok(![...(await reachFiles(dist, entry))].some((name) => /^(?:start|command)-/.test(name)), entry);
    const child = await readFile(join(dist, "child.js"), "utf8");
    const engines = [...child.matchAll(/import\("\.\/([^"]+)"\)/g)].map(([, name = ""]) => name);
    assert.ok(engines.length > 10, engines.join(" "));
    for (const engine of engines) {
      const files = [...(await reachFiles(dist, engine))];
      assert.deepEqual(
        files.filter((name) => isSession.test(name)),
        [],
        engine,
      );
    }
  });

  test("has the contract suites, the MCP server and types for extensions", async () => {
    const own = `
      import { handlerContract } from "spillway/testing";
      import { serveStdio } from "spillway/mcp";
      import { readBytes, type Handler } from "spillway";
      export const upper: Handler = {
        name: "upper", version: 1, runs: "inline", canHandle: (kind) => kind === "text",
        async *extract(file, { from }, signal) {
          const chunks: Uint8Array[] = [];
          for await (const chunk of readBytes(file, signal)) chunks.push(chunk);
          yield { info: {} };
          signal.throwIfAborted();
          const text = Buffer.concat(chunks).toString().toUpperCase();
          if (from === 0) yield { segment: { index: 0, kind: "whole", label: "whole", text, marks: [] } };
        },
      };
      if (typeof serveStdio !== "function") throw new Error("no server");
      handlerContract(upper, [{ name: "a text", bytes: Buffer.from("words"), kind: "text", mediaType: "text/plain" }]);
    `;
    await writeFile(join(folder, "own.test.ts"), own);
    await typeCheck("own.test.ts");
    // Without this variable the inner test runner prints its own summary.
    const { NODE_TEST_CONTEXT: _, ...innerEnv } = env();
    const { stdout } = await run(process.execPath, ["--test", "own.test.ts"], { cwd: folder, env: innerEnv });
    assert.match(stdout, /fail 0/);
    assert.ok(Number(/pass (\d+)/.exec(stdout)?.[1]) > 5, stdout);
  });

  test("serves MCP without further packages", async () => {
    const clientInfo = { name: "user", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const requests = [
      { id: 1, method: "initialize", params },
      { id: 2, method: "tools/call", params: { name: "web_fetch", arguments: { url: "data:,hello from afar" } } },
    ];
    const running = run("npx", ["--offline", "spillway", "mcp"], { cwd: folder, env: env() });
    running.child.stdin?.end(requests.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join(""));
    const [handshake, reply] = (await running).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(handshake.result.serverInfo.name, "spillway");
    assert.match(reply.result.content[0].text, /\n\nhello from afar\n\n\[End untrusted content /);
  });

  test("starts and answers without a network", async (context) => {
    const isolated = await run("unshare", ["-rn", "true"]).then(
      () => true,
      () => false,
    );
    if (!isolated) return context.skip("unshare -n is refused here.");
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "user", version: "1" } };
    const requests = [
      { id: 1, method: "initialize", params },
      { id: 2, method: "tools/list" },
    ];
    const program = join(folder, "node_modules", "spillway", "dist", "cli.js");
    const running = run("unshare", ["-rn", process.execPath, program, "mcp"], { cwd: folder, env: env() });
    running.child.stdin?.end(requests.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join(""));
    const { stdout, stderr } = await running;
    const [handshake, listing] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(handshake.result.serverInfo.name, "spillway");
    assert.equal(listing.result.tools.length, 4);
    assert.equal(stderr, "");
  });

  test("takes settings from flags, as documented, where a client passes no variables on", async () => {
    const guide = await readFile(join(root, "docs", "mcp.md"), "utf8");
    const [entry = ""] = /^\{ "mcpServers": .*"--set".*$/m.exec(guide) ?? [];
    const { command, args } = JSON.parse(entry).mcpServers.spillway;
    const home = join(folder, "flag-home");
    const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } };
    const flags = args.map((arg: string) => arg.replace("/data/spillway", home));
    const running = run("npx", ["--offline", command, ...flags], options);
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "user", version: "1" } };
    const call = { name: "web_fetch", arguments: { url: "data:,hello" } };
    const requests = [
      { id: 1, method: "initialize", params },
      { id: 2, method: "tools/call", params: call },
    ];
    running.child.stdin?.end(requests.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join(""));
    const [, reply = ""] = (await running).stdout.trim().split("\n");
    assert.match(JSON.parse(reply).result.content[0].text, /artifact_ref=af_/);
    assert.ok((await readdir(home)).includes("catalogue.db"));
  });

  test("can be imported as a library, with a config file", async () => {
    await writeFile(join(folder, "config.jsonc"), '{ "fit.inline_chars": 2000, /* ours */ }');
    await writeFile(
      join(folder, "use.js"),
      `import { detectContentKind, fetchSource, openSession } from "spillway";
       const session = await openSession();
       const { fields } = await fetchSource("data:text/plain," + "x".repeat(5000), {}, session);
       await session[Symbol.asyncDispose]();
       const { kind } = detectContentKind({ firstBytes: Buffer.from("%PDF-1.7\\n1 0 obj\\n") });
       console.log(JSON.stringify([fields.content.length, fields.artifact_ref.length, kind]));`,
    );
    const config = { SPILLWAY_CONFIG: join(folder, "config.jsonc") };
    const { stdout } = await run(process.execPath, ["use.js"], { cwd: folder, env: { ...env(), ...config } });
    assert.deepEqual(JSON.parse(stdout), [2_000, 35, "pdf"]);
  });

  /** Reads a page in process and a PDF in a child process. */
  const commonJs = `
    const { fetchSource, openSession } = require("spillway");
    const { tools } = require("spillway/ai-sdk");
    (async () => {
      const session = await openSession({ inMemory: true });
      const page = await fetchSource("data:text/html,<p>in process</p>", {}, session);
      const pdf = await fetchSource("cjs.pdf", {}, session);
      const toolNames = Object.keys(tools());
      await session[Symbol.asyncDispose]();
      console.log([page.fields.content, pdf.fields.content ?? pdf.fields.error, toolNames.includes("web_fetch")].join());
    })();`;
  const expectedOutput = "in process,In a child,true\n";

  test("can be required by a CommonJS program", async () => {
    await writeFile(join(folder, "cjs.pdf"), makePdfWithPages(["In a child"]));
    await writeFile(join(folder, "program.cjs"), commonJs);
    const { stdout, stderr } = await run(process.execPath, ["program.cjs"], { cwd: folder, env: env() });
    assert.deepEqual([stdout, stderr], [expectedOutput, ""]);
  });

  test("can be bundled into a CommonJS program, where import.meta is empty", async () => {
    await writeFile(join(folder, "cjs.pdf"), makePdfWithPages(["In a child"]));
    await writeFile(join(folder, "to-bundle.cjs"), commonJs);
    // Some bundlers give a CommonJS module the address of the bundle, others (esbuild) leave import.meta empty.
    for (const define of [{}, { "import.meta": "emptyImportMeta" }]) {
      const bundle = await rolldown({
        cwd: folder,
        input: "to-bundle.cjs",
        platform: "node",
        transform: { define },
        checks: { emptyImportMeta: false },
      });
      await bundle.write({
        file: join(folder, "bundle.cjs"),
        format: "cjs",
        codeSplitting: false,
        banner: "const emptyImportMeta = {};",
      });
      await bundle.close();
      const { stdout } = await run(process.execPath, ["bundle.cjs"], { cwd: folder, env: env() });
      assert.equal(stdout, expectedOutput, JSON.stringify(define));
    }
    await using elsewhere = await makeTemporaryFolder();
    await rename(join(folder, "bundle.cjs"), join(elsewhere.path, "bundle.cjs"));
    const { stdout } = await run(process.execPath, [join(elsewhere.path, "bundle.cjs")], { cwd: folder, env: env() });
    assert.match(stdout, /^in process,Failed to extract text from PDF: the engine for this kind is not installed/);
  });

  test("runs the sample in the README", async () => {
    const readme = await readFile(join(root, "README.md"), "utf8");
    const sample = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? assert.fail("the README has no sample");
    await writeFile(join(folder, "readme.ts"), sample);
    await writeFile(
      join(folder, "server.log"),
      `${"all is well\n".repeat(1_000)}\nERROR disk quota exceeded on volume 7\n`,
    );
    await typeCheck("readme.ts");
    const { stdout } = await run(process.execPath, ["readme.ts"], { cwd: folder, env: env() });
    assert.match(stdout, /disk quota exceeded on volume 7/);
  });

  test("reads a PDF, and says so if the PDF engine is not installed", async () => {
    await writeFile(join(folder, "a.pdf"), makePdfWithPages(["The founding accident"]));
    const fetchPdf = () => run("npx", ["--offline", "spillway", "fetch", "a.pdf"], { cwd: folder, env: env() });
    assert.match((await fetchPdf()).stdout, /pages 1\. [\s\S]*The founding accident/);
    await rename(join(folder, "node_modules", "@embedpdf"), join(folder, "gone"));
    await rm(join(folder, "home"), { recursive: true });
    const { stdout } = await fetchPdf();
    await rename(join(folder, "gone"), join(folder, "node_modules", "@embedpdf"));
    assert.match(stdout, /artifact_ref=af_\S+ for targeted follow-up\.\]\nFailed to extract text from PDF: the engine/);
  });

  test("reads a small web page in process and a long one in a child process", async () => {
    for (const count of [10, 10_000]) {
      await writeFile(join(folder, "a.html"), `<!doctype html><main>${"<h2>Light</h2><p>It is on.</p>".repeat(count)}`);
      const args = ["--offline", "spillway", "fetch", "a.html", "--json", "--max-chars", "1000"];
      const fields = JSON.parse((await run("npx", args, { cwd: folder, env: env() })).stdout);
      assert.deepEqual([fields.method, fields.content.slice(0, 20)], ["main", "## Light\n\nIt is on.\n"]);
    }
  });

  test("runs an agent without further packages, and says what is missing", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    const running = run("npx", ["--offline", "spillway", "run", "Hello?", "--model", "openai:gpt-5"], {
      cwd: folder,
      env: { ...env(), OPENAI_API_KEY: "sk-none", SPILLWAY_RUNNER_ENDPOINTS: `openai=http://127.0.0.1:${port}/v1` },
    });
    const { stderr, code } = await running.catch((error) => error);
    assert.match(stderr, /spillway: openai at 127\.0\.0\.1:\d+ could not be reached \(ECONNREFUSED\)\.\n/);
    assert.equal(code, 1);
  });

  test("has types that pass a strict type check", async () => {
    await writeFile(
      join(folder, "use.ts"),
      `import { callTool, type FetchFields, fetchSource, findTool, openSession, type ToolReply } from "spillway";
       import { overflowMiddleware, tools } from "spillway/ai-sdk";
       export const names: string[] = Object.keys(tools());
       export const middleware: { specificationVersion: "v4" } = overflowMiddleware();
       const tool = findTool("web_fetch");
       export const reply: ToolReply | undefined = tool && (await callTool(tool, { url: "data:,x" }, await openSession()));
       const { fields } = await fetchSource("data:,x", { mode: "raw" }, await openSession({ inMemory: true }));
       export const kept: FetchFields = fields;
       // @ts-expect-error a size is a number
       export const wrong: string = fields.size_bytes;`,
    );
    await typeCheck("use.ts");
  });

  test("prints one sentence on an old Node", async () => {
    const entry = join(folder, "node_modules", "spillway", "dist", "cli.js");
    const oldNode = join(folder, "old.mjs");
    await writeFile(
      oldNode,
      `Object.defineProperty(process.versions, "node", { value: "20.19.0" });\nawait import("${entry}");`,
    );
    const { stderr, code } = await run(process.execPath, [oldNode]).catch((error) => error);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^spillway needs Node 22\.13 or newer; this is Node 20\.19\.0\.\n {2}Install a newer one .*\n$/,
    );
  });

  test("contains only compiled code, types and docs", async () => {
    const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root });
    const files: string[] = JSON.parse(stdout)[0].files.map(({ path }: { path: string }) => path);
    const strays = files.filter(
      (path) =>
        !/^(dist\/(.*\.(js|d\.ts)|LICENSES\.txt|table\.bin|assets\/[a-z-]+\.(css|html|svg)|cmaps\/(.*\.bcmap|LICENSE))|docs\/.*|README\.md|CHANGELOG\.md|LICENSE|package\.json)$/.test(
          path,
        ),
    );
    assert.deepEqual(strays, []);
    assert.ok(
      files.includes("dist/child.js") &&
        files.includes("dist/cli.js") &&
        files.includes("dist/index.js") &&
        files.includes("dist/ai-sdk.js") &&
        files.includes("dist/table.bin") &&
        files.includes("dist/cmaps/LICENSE") &&
        files.includes("dist/types/index.d.ts"),
    );
    const pages = [...assetNames, "dashboard.html", "welcome.html"].map((name) => `dist/assets/${name}`);
    assert.deepEqual(
      pages.filter((path) => !files.includes(path)),
      [],
      "the dashboard is complete",
    );
  });

  test("runs on the oldest Node that it supports, without a warning about SQLite", async (context) => {
    const { engines } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const oldest = `${String(engines.node).replace(">=", "")}.0`;
    await using elsewhere = await makeTemporaryFolder();
    const node = await installNode(oldest, elsewhere.path);
    if (node === undefined)
      return context.skip(`npm's cache has no such Node; npm cache add ${nodePackage(oldest)} adds it.`);
    assert.equal((await run(node, ["--version"])).stdout.trim(), `v${oldest}`);
    await writeFile(join(folder, "heron.ts"), "export const heron = 1;\n");
    await writeFile(join(folder, "empty.ts"), "");
    const options = { cwd: folder, env: env() };
    const cli = join(folder, "node_modules", "spillway", "dist", "cli.js");
    for (const argv of [["index"], ["search", "heron"], ["doctor"], ["fetch", "heron.ts"]]) {
      const { stderr } = await run(node, [cli, ...argv], options);
      assert.doesNotMatch(stderr, /Warning/, argv.join(" "));
    }
    const script = join(folder, "search-heron.js");
    const lines = [
      'import { openSession, searchCode } from "spillway";',
      "const session = await openSession();",
      'console.log((await searchCode({ query: "heron" }, session)).results.length > 0);',
      'process.emitWarning("another one", "ExperimentalWarning");',
    ];
    await writeFile(script, lines.join("\n"));
    const { stdout, stderr } = await run(node, [script], options);
    assert.equal(stdout, "true\n");
    const readme = await readFile(join(root, "README.md"), "utf8");
    await writeFile(join(folder, "readme-oldest.js"), /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "");
    const sample = await run(node, ["readme-oldest.js"], options);
    assert.match(sample.stdout, /disk quota exceeded on volume 7/, "the README's code runs as printed");
    await writeFile(join(folder, "cjs.pdf"), makePdfWithPages(["In a child"]));
    await writeFile(join(folder, "oldest.cjs"), commonJs);
    const required = await run(node, ["oldest.cjs"], options);
    assert.deepEqual([required.stdout, required.stderr], [expectedOutput, ""], "it can be required");
    assert.match(stderr, /ExperimentalWarning: another one/, "other warnings are printed");
    assert.doesNotMatch(stderr, /SQLite/);
  });
});
