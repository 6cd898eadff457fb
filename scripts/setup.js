// Installs the dependencies, including Node 24, if they are missing or older than the lock file.
// Plain JavaScript without dependencies, because it runs before they are installed, on any version of Node.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const NODE_MAJOR = 24;
const REPORT_INTERVAL_MS = 10_000;

// `node scripts/setup.js bench` also installs the dependencies of the folder `bench`.
const folders = ["", ...process.argv.slice(2)].map((name) => join(root, name));
for (const folder of folders) await installIfStale(folder);
requireNode();

async function installIfStale(folder) {
  const stamp = join(folder, "node_modules", ".spillway-setup");
  const digest = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .update(`${process.platform}-${process.arch}`)
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  // An MCP client shows this where it waits for the first answer, and many give up after 30 seconds.
  console.error(
    "spillway: installing dependencies, which takes up to a minute, once and after each change of package-lock.json. " +
      `If a client gives up meanwhile, run "npm install" in ${folder} and start it again.`,
  );
  const [command, ...prefix] = npmCommand();
  // Not `npm ci`: it refuses a lock file without the optional packages of other platforms, which some registries lack.
  const args = [...prefix, "install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const exit = await runVisibly(command, args, folder);
  if (exit !== 0) fail(`npm install failed in ${folder} (exit ${exit}). See the lines above.`);
  writeFileSync(stamp, digest);
}

/** Runs a command and reports at intervals that it still runs. Returns its exit code, or the signal that ended it. */
function runVisibly(command, args, cwd) {
  const startedAt = Date.now();
  const report = () =>
    console.error(`spillway: still installing (${Math.round((Date.now() - startedAt) / 1_000)} s) ...`);
  const timer = setInterval(report, REPORT_INTERVAL_MS);
  return new Promise((done) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", 2, 2], shell: command === "npm.cmd" });
    child.on("error", (error) => done(error.message));
    child.on("exit", (code, signal) => done(code ?? signal));
  }).finally(() => clearInterval(timer));
}

/** npm sets its path for scripts. Run by hand, npm is on the PATH. */
function npmCommand() {
  const npm = process.env.npm_execpath;
  if (npm?.endsWith(".js")) return [process.execPath, npm];
  return [process.platform === "win32" ? "npm.cmd" : "npm"];
}

/** With `ignore-scripts` the package `node` installs no binary, and the system's Node would run instead. */
function requireNode() {
  const node = join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node");
  const version = existsSync(node)
    ? execFileSync(node, ["--version"], { encoding: "utf8", shell: process.platform === "win32" }).trim()
    : "none";
  if (!version.startsWith(`v${NODE_MAJOR}.`)) {
    fail(`Node ${NODE_MAJOR} is needed and node_modules has ${version}. Allow install scripts for the package "node".`);
  }
}

function fail(sentence) {
  console.error(`spillway: ${sentence}`);
  process.exit(1);
}
