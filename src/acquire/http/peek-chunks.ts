/** A look at the beginning of some chunks, which can then still be read from the beginning. */

export type PeekedChunks = { readonly head: Buffer; readonly chunks: AsyncIterable<Uint8Array> };

/** At least so many bytes, unless there are fewer. A look that fails closes the chunks. */
export async function peekChunks(chunks: AsyncIterable<Uint8Array>, wantedBytes: number): Promise<PeekedChunks> {
  const iterator = chunks[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let length = 0;
  let ended = false;
  while (length < wantedBytes && !ended) {
    const next = await iterator.next();
    ended = next.done === true;
    if (next.done) break;
    seen.push(next.value);
    length += next.value.length;
  }
  return { head: Buffer.concat(seen), chunks: resumeChunks(seen, iterator, ended) };
}

async function* resumeChunks(
  seen: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
  ended: boolean,
): AsyncGenerator<Uint8Array> {
  try {
    yield* seen;
    while (!ended) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
