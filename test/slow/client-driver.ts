/**
 * Runs inside a network namespace: a scripted model, and one real client with our server, over stdio or over HTTP. Prints what
 * the model saw.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { connectOverHttp } from "./client-http.ts";
import { serveModel } from "./client-model.ts";
import { writeSample } from "./client-report.ts";
import { clientRuns, type RunPlace } from "./client-runs.ts";

const [name = "", packages = "", folder = "", way = "stdio"] = process.argv.slice(2);
spawnSync("ip", ["link", "set", "lo", "up"]);

const MAX_RUN_MS = 120_000;
const entry = join(import.meta.dirname, "..", "..", "dist", "cli.js");
const run = clientRuns.find((each) => each.name === name) ?? process.exit(2);
const { id } = run;
const [home, work] = [join(folder, "home"), join(folder, "work")];
await Promise.all([mkdir(home), mkdir(work)]);
await writeFile(join(work, "short.txt"), "A weir is a barrier across a river.\n");
await writeFile(join(work, "long.txt"), writeSample());

await using model = await serveModel();
const place: RunPlace = { packages, home, modelUrl: model.url };
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
await using server = way === "http" ? await connectOverHttp({ id, program, entry, home, work, env }) : undefined;
const own = server ? server.steps : [spillway("install", id, "--yes"), spillway("doctor", "--client", id)];
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
if (server === undefined) own.push(spillway("uninstall", id, "--yes"), spillway("uninstall", id));
const report = { status, own, ...texts, requests: model.requests };
await server?.[Symbol.asyncDispose]();
process.stdout.write(JSON.stringify(report), () => process.exit(0));
