import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openCli } from "./cli.ts";
import { startServer } from "./server.ts";
import { waitUntil } from "./waiting.ts";

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => spawnSync(path, ["--version"]).status === 0,
);
const sandbox = process.getuid?.() === 0 ? "off" : "on";

/** A page that is empty until its script has fetched its text; the script also tries to reach another server. */
const shell = (elsewhere: string) => `<!doctype html><title>App</title><div id="root"></div><script>
  fetch("${elsewhere}/secret").then((r) => r.text()).catch(() => "refused").then((other) =>
    fetch("/data.json").then((r) => r.json()).then(({ words }) => {
      root.innerHTML = "<main><h1>River report</h1>" + words.map((w) => "<p>" + w + "</p>").join("") +
        "<p>The other server was " + other + ".</p><a href='next'>Next</a></main>";
    }));
</script>`;

const words = Array.from({ length: 8 }, (_, i) => `Gauge ${i} shows that the river has risen since the last report.`);

async function startSites() {
  const other = await startServer((_, response) => void response.end("reached"));
  const web = await startServer((request, response) => {
    const isData = request.url === "/data.json";
    response.setHeader("content-type", isData ? "application/json" : "text/html");
    response.end(isData ? JSON.stringify({ words }) : shell(other.origin));
  });
  return { web, other };
}

const bin = join(import.meta.dirname, "../src/surfaces/cli/process.ts");

/** The browser of a killed process exits when its pipes close. */
async function waitForBrowserExit(profile: string): Promise<void> {
  const isUsed = async (pid: string) =>
    (await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")).includes(profile);
  await waitUntil("the browser exits", async () => {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    return !(await Promise.all(pids.map(isUsed))).includes(true);
  });
}

describe("a page that is empty without its scripts", () => {
  test("is reported as such, with the reason if the browser cannot run", async () => {
    await using cli = await openCli();
    const { web, other } = await startSites();
    await using _web = web;
    await using _other = other;
    const env = { SPILLWAY_NETWORK_ALLOW: web.allow };
    const unrendered = JSON.parse((await cli.run(["fetch", web.origin, "--json"], { env })).out);
    assert.deepEqual([unrendered.needs_js, unrendered.error], [true, undefined]);
    assert.match(unrendered.warnings.join(), /builds its text with scripts/);
    const broken = ["--set", "render.chromium=/no/such/browser"];
    const { out, status } = await cli.run(["fetch", web.origin, ...broken, "--json"], { env });
    const fields = JSON.parse(out);
    assert.deepEqual([status, fields.artifact_ref], [0, unrendered.artifact_ref]);
    assert.match(fields.warnings.join(), /Its scripts could not be run: .*render\.chromium/);
  });

  test("is rendered by the configured browser, which reaches only what the guard allows", {
    skip: chromium === undefined && "no Chromium is installed",
  }, async () => {
    await using cli = await openCli();
    const { web, other } = await startSites();
    await using _web = web;
    await using _other = other;
    const env = { SPILLWAY_NETWORK_ALLOW: web.allow };
    const set = ["--set", `render.chromium=${chromium}`, "--set", `render.sandbox=${sandbox}`];
    const fields = JSON.parse((await cli.run(["fetch", `${web.origin}/a/b`, ...set, "--json"], { env })).out);
    assert.match(fields.content, /^# River report\n\nGauge 0 shows/);
    assert.match(fields.content, /The other server was refused\.\n/);
    assert.ok(fields.content.includes("[Next](next)"), fields.content);
    assert.equal(fields.link_base, `${web.origin}/a/b`);
    assert.equal(other.requests.length, 0);
    assert.deepEqual(await readdir(join(cli.home, "tmp")), [], "no profile is left behind");
    const [record] = await cli.json("artifacts", "show", fields.artifact_ref);
    const source = await cli.run(["cat", record.parent_ref, "--raw"]);
    assert.equal(source.out, shell(other.origin));
  });

  test("leaves a profile behind if it is killed, and the next sweep removes it", {
    skip: chromium === undefined && "no Chromium is installed",
  }, async () => {
    await using cli = await openCli();
    const isRequested = Promise.withResolvers<void>();
    await using web = await startServer((request, response) => {
      // The page waits for its data, which never comes.
      if (request.url === "/data.json") isRequested.resolve();
      else response.setHeader("content-type", "text/html").end(shell("http://127.0.0.1:1"));
    });
    const env = {
      ...process.env,
      SPILLWAY_HOME: cli.home,
      SPILLWAY_NETWORK_ALLOW: web.allow,
      SPILLWAY_RENDER_CHROMIUM: chromium,
      SPILLWAY_RENDER_SANDBOX: sandbox,
    };
    const child = spawn(process.execPath, [bin, "fetch", web.origin], { env, stdio: "ignore" });
    await isRequested.promise;
    const [profile = ""] = await readdir(join(cli.home, "tmp"));
    assert.match(profile, new RegExp(`^spillway-render-[0-9a-f]{8}-${child.pid}-`));
    child.kill("SIGKILL");
    await once(child, "exit");
    await waitForBrowserExit(profile);
    const [report] = await cli.json("artifacts", "sweep");
    assert.equal(report.deleted_profiles, 1);
    assert.deepEqual(await readdir(join(cli.home, "tmp")).catch(() => []), []);
  });
});
