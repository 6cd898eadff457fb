/** Reads the beginning of a stream of chunks, which can still be read from its start afterwards. */
import { joinChunks } from "../../chunks.ts";

type PeekedChunks = { readonly head: Buffer; readonly chunks: AsyncIterable<Uint8Array> };

/** The head holds at least `wantedBytes`, unless the stream is shorter. An error closes the stream. */
export async function peekChunks(chunks: AsyncIterable<Uint8Array>, wantedBytes: number): Promise<PeekedChunks> {
  const iterator = chunks[Symbol.asyncIterator]();
  const buffered: Uint8Array[] = [];
  let length = 0;
  let hasEnded = false;
  while (length < wantedBytes && !hasEnded) {
    const next = await iterator.next();
    hasEnded = next.done === true;
    if (next.done) break;
    buffered.push(next.value);
    length += next.value.length;
  }
  return { head: joinChunks(buffered), chunks: resumeChunks(buffered, iterator, hasEnded) };
}

async function* resumeChunks(
  buffered: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
  hasEnded: boolean,
): AsyncGenerator<Uint8Array> {
  try {
    yield* buffered;
    while (!hasEnded) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
