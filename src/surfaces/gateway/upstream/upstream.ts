/** A wrapped server as the relay sees it: messages in, messages out, one line each, over whatever carries them. */
export type Upstream = {
  readonly lines: AsyncIterable<string>;
  /** Sends a line. Returns why it could not, in a sentence; it never waits for the server to read. */
  write(line: string): Promise<string | undefined>;
  /** Resolves when the server has ended, with a sentence about how. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
};

/** A list of lines that is filled and emptied at the same time. Adding waits until the line was taken. */
export type LineQueue = AsyncIterable<string> & {
  push(line: string): Promise<void>;
  close(): void;
};

/** Creates an empty queue for one reader. */
export function createLineQueue(): LineQueue {
  const waiting: { readonly line: string; taken(): void }[] = [];
  let wake: (() => void) | undefined;
  let isClosed = false;
  return {
    push(line) {
      if (isClosed) return Promise.resolve();
      return new Promise((taken) => {
        waiting.push({ line, taken });
        wake?.();
      });
    },
    close() {
      isClosed = true;
      for (const { taken } of waiting) taken();
      wake?.();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          yield next.line;
          next.taken();
        }
        if (isClosed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
