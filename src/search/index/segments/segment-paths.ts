/** The paths of a segment's files, one after the other as bytes. */

/** Reads paths from the bytes of a segment. */
export function openPaths(paths: Buffer, offsets: Uint32Array) {
  return {
    path: (file: number): string => paths.toString("utf8", offsets[file], offsets[file + 1]),
    filesEnding: (ending: string): readonly number[] => filesEnding(paths, offsets, Buffer.from(ending)),
  };
}

/**
 * Compares bytes from the end, without a string for each path. Case is known of ASCII only: from another byte on, all may
 * be equal.
 */
function filesEnding(paths: Buffer, offsets: Uint32Array, ending: Buffer): number[] {
  const files: number[] = [];
  for (let file = 0; file + 1 < offsets.length; file++) {
    const start = offsets[file] as number;
    let at = (offsets[file + 1] as number) - 1;
    let index = ending.length - 1;
    while (index >= 0 && at >= start && isSameLetter(paths[at] as number, ending[index] as number)) {
      at--;
      index--;
    }
    if (index < 0 || (at >= start && ((paths[at] as number) > 127 || (ending[index] as number) > 127)))
      files.push(file);
  }
  return files;
}

const isSameLetter = (byte: number, lower: number): boolean =>
  byte < 128 && (byte === lower || (byte >= 65 && byte <= 90 && byte + 32 === lower));
