/** The roots of a client: folders in which paths from a model may be read, besides our own. */
import { isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Finds the paths that are in none of the folders, judging by their spelling only. */
export function findPathsOutside(addresses: readonly string[], cwd: string, roots: readonly string[]): string[] {
  return addresses
    .flatMap((address) => (/^[a-z][a-z0-9+.-]+:/i.test(address) ? (pathOf(address) ?? []) : [address]))
    .map((path) => resolve(cwd, path))
    .filter((path) => !roots.some((root) => isInside(path, root)));
}

/** The local folders among the roots. Any other URI allows nothing. */
export function toFolders(roots: readonly { readonly uri: string }[]): string[] {
  return roots.flatMap(({ uri }) => pathOf(uri) ?? []);
}

function pathOf(uri: string): string | undefined {
  if (!/^file:/i.test(uri)) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

function isInside(path: string, folder: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath === "" || !(relativePath === ".." || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath))
  );
}
