// `npm start -- <command> ...` runs the CLI from source. Without a command it runs a worked example.
// npm changes to the package's folder; INIT_CWD is the folder where the user ran it.
import { enableCompileCache } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
enableCompileCache(join(root, "node_modules", ".cache", "compile"));
if (process.argv.length > 2) {
  process.chdir(process.env.INIT_CWD ?? process.cwd());
  await import("../src/surfaces/cli/process.ts");
} else {
  await import("../examples/tour.ts");
}
