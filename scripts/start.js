// `npm start -- <command> ...` is the command line run from source; without a command it shows a worked example.
// npm changes into the package's folder, so the folder where the user stands is taken from INIT_CWD.
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
