/**
 * Runs inside a network namespace: a scripted model, and one real client with our server over stdio or HTTP, or with another
 * server behind our gateway. Prints what the model saw.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openClientConfig, setServer } from "../../src/surfaces/clients/client-config.ts";
import { findClient } from "../../src/surfaces/clients/find-clients.ts";
import { connectOverHttp } from "./client-http.ts";
import { decide, decideFlood, serveModel } from "./client-model.ts";
import { writeSample } from "./client-report.ts";
import { clientRuns, type RunPlace } from "./client-runs.ts";

const [name = "", packages = "", folder = "", mode = "own"] = process.argv.slice(2);
spawnSync("ip", ["link", "set", "lo", "up"]);

const MAX_RUN_MS = 120_000;
const entry = join(import.meta.dirname, "..", "..", "dist", "cli.js");
const run = clientRuns.find((each) => each.name === name) ?? process.exit(2);
const { id } = run;
const [home, work] = [join(folder, "home"), join(folder, "work")];
await Promise.all([mkdir(home), mkdir(work)]);
await writeFile(join(work, "short.txt"), "A weir is a barrier across a river.\n");
await writeFile(join(work, "long.txt"), writeSample());

const isWrapped = mode === "wrapped";
await using model = await serveModel(isWrapped ? decideFlood : decide);
const place: RunPlace = { packages, home, modelUrl: model.url, server: isWrapped ? "flood" : "spillway" };
await run.prepare?.(place);
const program = join(packages, "node_modules", run.program);
const env = {
  HOME: home,
  USER: "user",
  TERM: "dumb",
  PATH: [dirname(process.execPath), dirname(program), "/usr/bin", "/bin"].join(":"),
  NO_PROXY: "*",
  ...run.env(place),
};
const spillway = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...args], {
    cwd: work,
    env,
    encoding: "utf8",
  });
  return { command: args.join(" "), status, output: stdout + stderr };
};
if (isWrapped) await addFlood();
await using server = mode === "http" ? await connectOverHttp({ id, program, entry, home, work, env }) : undefined;
const own = server?.steps.slice() ?? [
  ...(isWrapped
    ? [spillway("wrap", "--client", id, "--yes")]
    : [spillway("install", id, "--yes"), spillway("doctor", "--client", id)]),
];
const command = run.isScript ? [process.execPath, program] : [program];
const [file = "", ...args] = [...command, ...run.args(place)];
const child = spawn(file, args, { cwd: work, env, stdio: ["ignore", "pipe", "pipe"], timeout: MAX_RUN_MS });
const texts = { out: "", err: "" };
child.stdout.on("data", (chunk) => {
  texts.out += chunk;
});
child.stderr.on("data", (chunk) => {
  texts.err += chunk;
});
const [status] = await once(child, "close");
if (isWrapped) own.push(spillway("unwrap", "--client", id, "--yes"), spillway("unwrap", "--client", id));
else if (server === undefined) own.push(spillway("uninstall", id, "--yes"), spillway("uninstall", id));
/** Adds a server whose results are far too large, as its maker's page would tell the user to. */
async function addFlood(): Promise<void> {
  const flood = { command: process.execPath, args: [join(import.meta.dirname, "..", "flooding-server.ts")] };
  const machine = { env, platform: process.platform, home, cwd: work };
  const config = await openClientConfig(findClient(id), "user", machine);
  await mkdir(dirname(config.file.path), { recursive: true });
  await writeFile(config.file.path, setServer(config, "flood", flood));
}

const report = { status, own, ...texts, requests: model.requests };
await server?.[Symbol.asyncDispose]();
process.stdout.write(JSON.stringify(report), () => process.exit(0));
