/** A package registry on loopback with what the package depends on, so that npm's own commands run without a connection. */
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startServer } from "./server.ts";

const root = join(import.meta.dirname, "..");

type Manifest = { readonly name: string; readonly version: string };

/** Serves the packages in our own node_modules that users need too. */
export async function startRegistry() {
  const folders = await listDependencies();
  const server = await startServer(async (request, response) => {
    const [name = "", file] = decodeURIComponent(request.url ?? "")
      .slice(1)
      .split("/-/");
    const folder = folders.get(name);
    if (folder === undefined) return void response.writeHead(404).end("{}");
    if (file !== undefined) return void response.end(packFolder(folder));
    const manifest: Manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const { version } = manifest;
    const dist = { tarball: `${server.origin}/${name}/-/${version}.tgz` };
    const listing = { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(listing));
  });
  return server;
}

async function listDependencies(): Promise<ReadonlyMap<string, string>> {
  const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const paths = Object.keys(packages).filter(
    (path) => path !== "" && !packages[path].dev && !packages[path].optional && !packages[path].peer,
  );
  return new Map(paths.map((path) => [path.replace(/^.*node_modules\//, ""), join(root, path)]));
}

function packFolder(folder: string): Buffer {
  const args = ["-czf", "-", "--transform", "s,^\\.,package,", "--exclude", "./node_modules", "-C", folder, "."];
  return spawnSync("tar", args, { maxBuffer: 256 * 1024 * 1024 }).stdout;
}
