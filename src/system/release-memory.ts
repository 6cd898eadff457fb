/** Gives the memory of buffers back without waiting for the garbage collector. */

/** Smaller buffers share their memory with others. */
export const MIN_OWN_BYTES = Buffer.poolSize >>> 1;

/**
 * Gives the memory of a buffer back at once if it has these bytes for itself. A search reads half a megabyte of texts, and
 * the garbage collector, which sees small objects, lets tens of megabytes add up.
 */
export function releaseMemory({ buffer }: Uint8Array, ownBytes: number): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === ownBytes) buffer.transfer(0);
}
