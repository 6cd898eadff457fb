/** Bundles our reader of office documents as the published package has it, and prints where it is. */
import { join } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const folder = join(root, ".cache", "bench-office");
const bundle = await rolldown({
  cwd: root,
  input: { engine: "src/extract/office/office-engine.ts" },
  platform: "node",
  external: /^[\w@]/,
  transform: { target: "node22.13" },
});
await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].js" });
await bundle.close();
console.log(join(folder, "engine.js"));
