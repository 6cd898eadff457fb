/** Parts of the addresses of pages. */

/** The decoded names of a path; none if one of them could lead elsewhere in another path. */
export function splitPath({ pathname }: URL): string[] {
  const names = pathname.split("/").filter(Boolean).map(decodeName);
  return names.some((name) => name.includes("/") || name === "." || name === "..") ? [] : names;
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // A stray % is kept as it is.
  }
}
