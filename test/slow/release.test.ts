/** The packed package in an empty folder, installed by npm itself, on each Node that users have. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { version } from "../../src/version.ts";
import { makeTemporaryFolder } from "../bodies.ts";
import { startRegistry } from "../loopback-registry.ts";
import { installNode, nodePackage } from "../node-versions.ts";
import { makePdfWithPages } from "../pdf.ts";

const root = join(import.meta.dirname, "..", "..");
const run = promisify(execFile);
const tarball = `spillway-${version}.tgz`;

let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>;
let registry: Awaited<ReturnType<typeof startRegistry>>;

before(async () => {
  folder = await makeTemporaryFolder();
  registry = await startRegistry();
  await run("npm", ["pack", "--pack-destination", folder.path], { cwd: root });
});
after(async () => {
  await registry[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** The oldest that the package supports, the last of its line, and the one that the tests run on. */
for (const nodeVersion of ["22.13.0", "22.23.3", "24.21.0"])
  describe(`on Node ${nodeVersion}`, () => {
    let work: string;
    let env: NodeJS.ProcessEnv;
    let missing: string | undefined;

    before(async () => {
      work = join(folder.path, nodeVersion);
      await mkdir(join(work, "node"), { recursive: true });
      const node = await installNode(nodeVersion, join(work, "node"));
      if (node === undefined) {
        missing = `npm's cache has no such Node; npm cache add ${nodePackage(nodeVersion)} adds it.`;
        return;
      }
      env = {
        HOME: work,
        PATH: [dirname(node), process.env.PATH].join(delimiter),
        npm_config_registry: registry.origin,
        npm_config_cache: join(work, "cache"),
        npm_config_update_notifier: "false",
      };
      await mkdir(join(work, "empty"));
      await run("npm", ["install", join(folder.path, tarball)], { cwd: join(work, "empty"), env });
    });

    const shell = (line: string, cwd = join(work, "empty")) => run("sh", ["-c", line], { cwd, env });

    test("npm installs it without scripts, and nothing but what it needs", async (context) => {
      if (missing !== undefined) return context.skip(missing);
      assert.equal((await shell("node --version")).stdout, `v${nodeVersion}\n`);
      const names = await readdir(join(work, "empty", "node_modules"));
      assert.ok(names.includes("spillway") && names.length < 40, names.join());
    });

    test("the command works", async (context) => {
      if (missing !== undefined) return context.skip(missing);
      await writeFile(join(work, "empty", "a.pdf"), makePdfWithPages(["The founding accident"]));
      assert.equal((await shell("npx spillway --version")).stdout, `${version}\n`);
      const { stdout, stderr } = await shell("npx spillway fetch a.pdf");
      assert.match(stdout, /The founding accident/);
      assert.equal(stderr, "");
      assert.match((await shell("npx spillway doctor")).stdout, /^ok {4}engine PDFium: read a sample$/m);
    });

    test("npx runs the tarball without installing it", async (context) => {
      if (missing !== undefined) return context.skip(missing);
      await mkdir(join(work, "elsewhere"));
      await copyFile(join(folder.path, tarball), join(work, "elsewhere", tarball));
      const { stdout } = await shell(`npx --yes ./${tarball} --version`, join(work, "elsewhere"));
      assert.equal(stdout, `${version}\n`);
      assert.deepEqual(await readdir(join(work, "elsewhere")), [tarball]);
    });

    test("the library can be imported and required", async (context) => {
      if (missing !== undefined) return context.skip(missing);
      const imported = 'import("spillway").then(({ version }) => console.log(version))';
      assert.equal((await shell(`node -e '${imported}'`)).stdout, `${version}\n`);
      assert.equal((await shell(`node -p 'require("spillway").version'`)).stdout, `${version}\n`);
    });
  });
