/** `spillway serve` and `spillway token` as a user runs them. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { parseTOML } from "toml-eslint-parser";
import { makeTemporaryFolder } from "./bodies.ts";
import { connectClient, textOf } from "./served-http.ts";
import { waitUntil } from "./waiting.ts";

const program = join(import.meta.dirname, "../src/surfaces/cli/process.ts");

/** A home of its own, in which commands run. */
async function openHome() {
  const folder = await makeTemporaryFolder();
  const env = { PATH: process.env.PATH ?? "", HOME: folder.path, SPILLWAY_HOME: join(folder.path, "home") };
  const children: ChildProcess[] = [];
  return {
    async writeConfig(name: string, text: string) {
      const config = join(folder.path, ".config", "spillway");
      await mkdir(config, { recursive: true });
      await writeFile(join(config, name), text, { mode: 0o600 });
    },
    run: (...args: string[]) =>
      spawnSync(process.execPath, [program, ...args], { env, cwd: folder.path, encoding: "utf8" }),
    async serve(...args: string[]) {
      const child = spawn(process.execPath, [program, "serve", "--set", "serve.port=0", ...args], {
        env,
        cwd: folder.path,
      });
      children.push(child);
      let notes = "";
      child.stderr.on("data", (chunk) => {
        notes += chunk;
      });
      const [line] = await once(createInterface({ input: child.stdout }), "line");
      return { child, line: String(line), notes: () => notes };
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("spillway serve", () => {
  test("prints an address, a token and lines to paste that work; ends on SIGTERM", async () => {
    await using home = await openHome();
    const { child, line, notes } = await home.serve();
    assert.match(line, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    await waitUntil("the lines are printed", () => notes().includes("Windsurf:"));
    const token = /Your token: (spw_[\w-]{43})/.exec(notes())?.[1] ?? assert.fail(notes());
    for (const text of notes()
      .split("\n")
      .filter((each) => /^[A-Z]\w+.*: +(?:\{|"\w+": [[{])/.test(each))) {
      const entry = text.replace(/^[^:]+: +/, "");
      // YAML files have no braces around their entries.
      const config = JSON.stringify(JSON.parse(entry.startsWith("{") ? entry : `{${entry}}`));
      assert.ok(config.includes(line) && config.includes(`Bearer ${token}`), text);
    }
    const toml = /^Codex: +(.*)$/m.exec(notes())?.[1] ?? assert.fail("no line for Codex");
    assert.ok(parseTOML(toml).body.length > 0);
    await using connected = await connectClient(line, token, "2026-07-28");
    const page = await connected.client.callTool({ name: "fetch_content", arguments: { url: "data:,A%20weir." } });
    const ref = /af_[0-9a-f]{32}/.exec(textOf(page))?.[0] ?? assert.fail(textOf(page));
    assert.match(home.run("read", ref).stdout, /A weir\./, "the printed token is of the user who runs the server");
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    assert.equal(code, 0);
  });

  test("shows providers and wrapped servers where they are on", async () => {
    await using home = await openHome();
    const server = { command: process.execPath, args: [join(import.meta.dirname, "sdk-server.ts"), "docs"] };
    await home.writeConfig("gateway.jsonc", JSON.stringify({ servers: { docs: server, wiki: server } }));
    const { line, notes } = await home.serve("--set", "serve.llm=on", "--set", "serve.servers=*");
    await waitUntil("the lines are printed", () => notes().includes("goose:"));
    const origin = new URL(line).origin;
    for (const path of ["all: /servers/mcp", "docs: /servers/docs/mcp", "wiki: /servers/wiki/mcp"])
      assert.ok(notes().includes(path.replace(" /", ` ${origin}/`)), path);
    assert.match(
      notes(),
      /^Claude Code: ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/llm\/spw_[\w-]{43}\/anthropic claude$/m,
    );
    const token = /Your token: (spw_[\w-]{43})/.exec(notes())?.[1] ?? assert.fail(notes());
    assert.ok(!notes().includes(`/llm/${token}`), "the token for everything is in no address");
    await using connected = await connectClient(`${origin}/servers/docs/mcp`, token, "2025-11-25");
    assert.equal(textOf(await connected.client.callTool({ name: "name", arguments: {} })), "docs");
    const { line: json } = await home.serve("--json", "--set", "serve.llm=on", "--set", "serve.servers=docs");
    const { llm_urls, server_urls } = JSON.parse(json);
    assert.deepEqual(Object.keys(llm_urls), ["openai", "anthropic", "gemini"]);
    assert.match(server_urls.docs, /\/servers\/docs\/mcp$/);
  });

  test("refuses an address that others reach, unless TLS, a name and a token are there", async () => {
    await using home = await openHome();
    const outside = ["serve", "--set", "serve.address=0.0.0.0", "--set", "serve.port=0"];
    const rows: readonly [readonly string[], RegExp][] = [
      [[], /without TLS/],
      [["--set", "serve.tls=in_front"], /host name/],
      [["--set", "serve.tls=in_front", "--set", "serve.hosts=mcp.example.com"], /Without a token/],
    ];
    for (const [more, sentence] of rows) {
      const { status, stderr } = home.run(...outside, ...more);
      assert.equal(status, 1);
      assert.match(stderr, sentence);
    }
  });

  test("refuses a port that is taken and a folder that does not exist, with hints that work", async () => {
    await using home = await openHome();
    const { line } = await home.serve();
    const taken = home.run("serve", "--set", `serve.port=${new URL(line).port}`);
    assert.equal(taken.status, 1);
    assert.match(taken.stderr, /cannot listen on .*\n {2}Choose another port with --set serve\.port=PORT/);
    const missing = home.run("serve", "--files", "none");
    assert.equal(missing.status, 2);
    assert.match(missing.stderr, /none is not a folder of this machine/);
  });

  test("with a broken config it does not start: its limits would not be known", async () => {
    await using home = await openHome();
    const { status, stderr } = home.run("serve", "--set", "serve.calls=many");
    assert.equal(status, 2);
    assert.match(stderr, /serve\.calls/);
  });
});

describe("spillway token", () => {
  test("adds, lists and revokes, and a running server follows", async () => {
    await using home = await openHome();
    const { line } = await home.serve("--json");
    const { url } = JSON.parse(line);
    const added = home.run("token", "add", "ann", "--expires", "1d", "--rate", "600", "--files", ".", "--json");
    const { token, ...row } = JSON.parse(added.stdout);
    assert.partialDeepStrictEqual(row, { name: "ann", owner: "ann", rate: 600, admin: false, expired: false });
    assert.equal(row.sha256, undefined);
    const ask = () => fetch(url, { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await ask()).status, 405);
    const { tokens } = JSON.parse(home.run("token", "list", "--json").stdout);
    assert.deepEqual(tokens, [row]);
    assert.match(home.run("token", "list").stdout, /^ann .*600 requests per minute, reads \//);
    assert.equal(home.run("token", "revoke", "ann").status, 0);
    assert.equal((await ask()).status, 401);
  });

  test("wrong usage says what to do", async () => {
    await using home = await openHome();
    const rows: readonly [readonly string[], RegExp][] = [
      [["add"], /spillway token add ann/],
      [["add", "Ann"], /lower-case letters/],
      [["add", "ann", "--rate", "0"], /--rate 600/],
      [["add", "ann", "--expires", "soon"], /--expires 30d/],
      [["add", "ann", "--files", "none"], /none is not a folder of this machine\.\n {2}Create it first/],
      [["add", "ann", "--only", "mcp"], /--only llm/],
      [["add", "ann", "--only", "llm", "--admin"], /two tokens with the same --owner/],
      [["revok", "ann"], /Did you mean revoke/],
      [["list", "--admin"], /token add NAME --admin/],
      [["revoke", "ann"], /token list shows/],
    ];
    for (const [args, hint] of rows) {
      const { status, stderr } = home.run("token", ...args);
      assert.equal(status, 2, args.join(" "));
      assert.match(stderr, hint);
    }
  });
});
