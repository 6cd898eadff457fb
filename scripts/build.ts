/** Makes what is published: a split ESM bundle for Node 22 with entries for the command, the library and the child process, and types. */
import { execFileSync } from "node:child_process";
import { chmod, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

await rm(dist, { recursive: true, force: true });
const bundle = await rolldown({
  cwd: root,
  input: { cli: "src/surfaces/cli/entry.ts", index: "src/index.ts", child: "src/extract/pool/child.ts" },
  platform: "node",
  external: (id) => Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`)),
  transform: { target: "node22.13" },
});
await bundle.write({ dir: dist, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" });
await bundle.close();
await chmod(join(dist, "cli.js"), 0o755);

const tsc = join(root, "node_modules", ".bin", "tsc");
execFileSync(tsc, ["--project", join(root, "tsconfig.build.json")], { stdio: "inherit" });
