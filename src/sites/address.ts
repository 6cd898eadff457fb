/** Parts of the addresses of pages. */

/** The decoded names of a path. */
export function splitPath({ pathname }: URL): string[] {
  return pathname.split("/").filter(Boolean).map(decodeName);
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // A stray % is kept as it is.
  }
}
