/** Words what it means that an index is in memory only. */

/** The reason, the consequence, and what to do about it. */
export function makeStorageNotice(problem: string): string {
  return (
    `The index could not be stored, because ${problem}: it is in memory only, and the next process builds it again. ` +
    "Free space or set SPILLWAY_HOME to a folder that can be written."
  );
}
