/** Changes files of trees that may consist of hard links to files which have to stay as they are. */
import { renameSync, writeFileSync } from "node:fs";

/** Puts a new file in the place of one. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}
