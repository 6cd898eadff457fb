/** How long the long tests run: a sample in `npm test` and `npm run test:slow`, everything in `npm run soak`. */

/** The number of repetitions: the sample, or the full count if SPILLWAY_SOAK is 1. */
export function soakCount({ sample, full }: { readonly sample: number; readonly full: number }): number {
  return process.env.SPILLWAY_SOAK === "1" ? full : sample;
}
