/** Keeps standard output for the protocol: whatever else writes to it ends up on standard error. */

/** Turns everything that prints in this process away from standard output, from now on. */
export function guardStdout(): void {
  process.stdout.write = process.stderr.write.bind(process.stderr);
}
