/** Reading that stops when it is aborted, also while it waits for bytes that may never come. */

export async function* abortable<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  signal.throwIfAborted();
  const iterator = items[Symbol.asyncIterator]();
  let cancel: ((reason: unknown) => void) | undefined;
  const onAbort = () => cancel?.(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      // The abort may have come while the last item was being used.
      signal.throwIfAborted();
      // A promise per step: racing against one that lasts would hold on to every item that ever won.
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        cancel = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    // A source that waits for bytes cannot be closed before they come, so an abort does not wait for it.
    const closed = iterator.return?.();
    if (signal.aborted) closed?.catch(() => undefined);
    else await closed;
  }
}

/** A promise that an abort leaves at once; what it would have given comes too late then, and is undone. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal, undo?: (late: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      reject(signal.reason);
      work.then(undo, () => undefined);
    };
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
