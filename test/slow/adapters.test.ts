/** The adapters with the real packages of their hosts, which are installed into a temporary folder; skipped without them. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeTemporaryFolder } from "../bodies.ts";

const INSTALL_MS = 5 * 60_000;
const root = join(import.meta.dirname, "..", "..");
const packages = join(tmpdir(), "spillway-adapter-hosts");
const hosts = ["@mariozechner/pi-coding-agent", "@opencode-ai/plugin"];
const hostFile = (path: string): string => join(packages, "node_modules", path);

before(() => {
  const flags = ["--force", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", packages];
  if (!hosts.every((name) => existsSync(hostFile(name))))
    spawnSync("npm", ["install", ...flags, ...hosts], { stdio: "ignore", timeout: INSTALL_MS });
  execFileSync(process.execPath, [join(root, "scripts", "build.ts")], { stdio: "ignore" });
});

/** A copy of an adapter beside the built package and the packages of its host. */
async function openAdapter(context: TestContext, name: string, host: string) {
  const folder = await makeTemporaryFolder();
  if (!existsSync(hostFile(host))) context.skip(`${host} could not be installed from the npm registry.`);
  await cp(join(root, "adapters", name), join(folder.path, name), { recursive: true });
  const modules = join(folder.path, "node_modules");
  await mkdir(modules);
  await symlink(root, join(modules, "spillway"));
  await symlink(hostFile(host.split("/")[0] ?? ""), join(modules, host.split("/")[0] ?? ""));
  process.env.SPILLWAY_HOME = join(folder.path, "home");
  return { ...folder, index: join(folder.path, name, "index.js"), isThere: existsSync(hostFile(host)) };
}

const long = "The level of the river was 4 m.\n".repeat(9_000).replace("4 m.\n", "4 m.\nNEEDLE 4711\n");

type Content = { readonly type: string; readonly text: string };

test("pi loads the extension, bounds results of other tools, and reads on", async (context) => {
  await using adapter = await openAdapter(context, "pi", "@mariozechner/pi-coding-agent");
  if (!adapter.isThere) return;
  const pi = await import(pathToFileURL(hostFile("@mariozechner/pi-coding-agent/dist/index.js")).href);
  const { extensions, errors } = await pi.discoverAndLoadExtensions([adapter.index], adapter.path, adapter.path);
  assert.deepEqual(errors, []);
  const [{ handlers, tools }] = extensions;
  assert.deepEqual([...tools.keys()], ["fetch_content", "read_artifact", "search_code"]);
  const [bound] = handlers.get("tool_result");
  const event = (text: string) => ({ toolName: "bash", content: [{ type: "text", text }], isError: false });
  assert.equal(await bound(event("short")), undefined);
  const { content }: { content: Content[] } = await bound(event(long));
  const page = content[0]?.text ?? "";
  assert.ok(page.length < 20_480, `${page.length} characters`);
  const artifact_ref = /af_[0-9a-f]{32}/.exec(page)?.[0];
  const { definition } = tools.get("read_artifact");
  const reply = await definition.execute("1", { artifact_ref, query: "NEEDLE" });
  assert.match(reply.content[0].text, /NEEDLE 4711/);
  for (const close of handlers.get("session_shutdown")) await close();
});

test("opencode gets bounded output from the plugin, and its tool reads on", async (context) => {
  await using adapter = await openAdapter(context, "opencode", "@opencode-ai/plugin");
  if (!adapter.isThere) return;
  const { SpillwayPlugin } = await import(pathToFileURL(adapter.index).href);
  const hooks = await SpillwayPlugin({ directory: adapter.path });
  const output = { title: "", output: long, metadata: {} };
  await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args: {} }, output);
  assert.ok(output.output.length < 51_200, `${output.output.length} characters`);
  const artifact_ref = /af_[0-9a-f]{32}/.exec(output.output)?.[0];
  const { args, execute } = hooks.tool.read_artifact;
  assert.ok(args.artifact_ref.safeParse(artifact_ref).success);
  assert.match(
    await execute({ artifact_ref, query: "NEEDLE" }, { abort: new AbortController().signal }),
    /NEEDLE 4711/,
  );
});
