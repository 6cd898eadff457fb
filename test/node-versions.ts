/** Other versions of Node, to try the package on. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A version of Node from npm's cache, because a test opens no connection; undefined if it is not there. */
export async function installNode(version: string, folder: string): Promise<string | undefined> {
  await writeFile(join(folder, "package.json"), '{ "name": "node-user", "private": true }');
  const options = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  try {
    await run("npm", ["install", ...options, nodePackage(version)], { cwd: folder });
    const [name = ""] = nodePackage(version).split("@");
    return join(folder, "node_modules", name, "bin", "node");
  } catch {
    return undefined;
  }
}

/** The package that holds the program for this machine; `node` itself would download it. */
export function nodePackage(version: string): string {
  const machine = `${process.platform}-${process.arch}`;
  return `${machine === "darwin-arm64" ? `node-bin-${machine}` : `node-${machine}`}@${version}`;
}
