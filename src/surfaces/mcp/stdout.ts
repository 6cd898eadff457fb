/** Reserves standard output for the protocol. */

/** Redirects everything this process prints from standard output to standard error, from now on. */
export function guardStdout(): void {
  process.stdout.write = process.stderr.write.bind(process.stderr);
}
