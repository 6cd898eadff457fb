/** Builds the published package: an ESM bundle for Node 22 with entries for CLI, library and child process, and the types. */
import { execFileSync } from "node:child_process";
import { chmod, copyFile, cp, glob, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type RolldownOutput, rolldown } from "rolldown";
import { groupChunks } from "./chunks.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const { dependencies, peerDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

await rm(dist, { recursive: true, force: true });
const chunks = groupChunks();
const bundle = await rolldown({
  cwd: root,
  input: {
    cli: "src/surfaces/cli/entry.ts",
    index: "src/index.ts",
    "ai-sdk": "src/surfaces/ai-sdk/ai-sdk.ts",
    mcp: "src/surfaces/mcp/mcp.ts",
    testing: "src/testing.ts",
    child: "src/extract/child-program.ts",
  },
  platform: "node",
  plugins: [chunks.plugin],
  external: (id) =>
    [...Object.keys(dependencies), ...Object.keys(peerDependencies)].some(
      (name) => id === name || id.startsWith(`${name}/`),
    ),
  transform: { target: "node22.13" },
});
const output = await bundle.write({
  dir: dist,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  codeSplitting: { groups: chunks.groups },
});
await bundle.close();
await chmod(join(dist, "cli.js"), 0o755);
// Code search reads its learnt table from beside the module that opens it.
await copyFile(join(root, "src", "search", "learnt", "table.bin"), join(dist, "table.bin"));
// The server reads the files of its dashboard from beside the module that serves them.
await cp(join(root, "src", "surfaces", "serve", "dashboard", "assets"), join(dist, "assets"), { recursive: true });
// pdf.js reads its character maps from beside the module that opens it. The folder has their licence.
await cp(join(root, "node_modules", "pdfjs-dist", "cmaps"), join(dist, "cmaps"), { recursive: true });
await writeFile(join(dist, "LICENSES.txt"), await collectLicenses(output));

const tsc = join(root, "node_modules", ".bin", "tsc");
execFileSync(tsc, ["--project", join(root, "tsconfig.build.json")], { stdio: "inherit" });

/** The licences of the bundled packages. Packages that are not bundled bring their own. */
async function collectLicenses({ output }: RolldownOutput): Promise<string> {
  const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const files = await Array.fromAsync(glob("{LICENSE,LICENCE,NOTICE}*", { cwd: folder }));
    // A package under our licence that does not include its text gets ours, which is the same.
    const paths = files.length > 0 ? files.map((file) => join(folder, file)) : [join(root, "LICENSE")];
    if (files.length === 0 && license !== "Apache-2.0") throw new Error(`${name} is bundled and has no licence file.`);
    const contents = await Promise.all(paths.map((path) => readFile(path, "utf8")));
    return `${name} ${version} (${license})\n\n${contents.join("\n").trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}
