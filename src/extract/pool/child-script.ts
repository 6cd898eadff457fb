/** Finds the program of the child processes, also for a bundle of the library. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * The program of the sources, or the one beside the published code. A bundle has no such file beside it and uses that of
 * the installed package.
 */
export function findChildScript(moduleUrl = findModuleUrl()): URL {
  if (moduleUrl.endsWith(".ts")) return new URL("../child-program.ts", moduleUrl);
  const beside = new URL("./child.js", moduleUrl);
  return existsSync(beside) ? beside : findInPackage(moduleUrl);
}

/** Bundlers that write CommonJS leave `import.meta` empty, but there `__filename` is the bundle. */
function findModuleUrl(): string {
  const { url }: { readonly url?: string } = import.meta;
  if (url !== undefined) return url;
  return pathToFileURL(typeof __filename === "string" ? __filename : join(process.cwd(), "bundle.js")).href;
}

function findInPackage(moduleUrl: string): URL {
  try {
    const manifest = createRequire(moduleUrl).resolve("spillway/package.json");
    return new URL("./dist/child.js", pathToFileURL(manifest));
  } catch (cause) {
    const message = "dist/child.js of the package spillway was not found; install the package where the bundle runs";
    throw new Error(message, { cause });
  }
}
