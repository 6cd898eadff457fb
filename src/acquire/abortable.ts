/** Waits that an abort ends at once, also while the source is waiting for bytes that may never arrive. */

/** The same items, until an abort: then it throws the signal's reason. */
export async function* abortable<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  signal.throwIfAborted();
  const iterator = items[Symbol.asyncIterator]();
  let cancel: ((reason: unknown) => void) | undefined;
  const onAbort = () => cancel?.(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      // The abort may have happened while the last item was being used.
      signal.throwIfAborted();
      // One promise per step: racing against one long-lived promise would keep every item in memory.
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        cancel = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    // A source that is waiting for bytes cannot be closed before they arrive, so an abort does not wait for it.
    const closed = iterator.return?.();
    if (signal.aborted) closed?.catch(() => undefined);
    else await closed;
  }
}

/** The result of `work`, unless it is aborted first: then it rejects at once, and `undo` is called with the late result. */
export function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal, undo?: (lateResult: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(signal.reason);
      work.then(undo, () => undefined);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
