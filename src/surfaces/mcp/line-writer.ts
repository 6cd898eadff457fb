/** Writes lines to the output, in order and one at a time, however many callers wait. */

export interface LineWriter {
  /** Resolves when the output has taken the line. */
  write(line: string): Promise<void>;
  /** Lines that the output has not taken yet. */
  readonly waitingLines: number;
  /** Lines that it has taken so far. */
  readonly writtenLines: number;
}

/** Creates a writer for an output whose `out` resolves when it can take more. */
export function createLineWriter(out: (line: string) => Promise<void>): LineWriter {
  let lastWrite: Promise<unknown> = Promise.resolve();
  let [waitingLines, writtenLines] = [0, 0];

  async function writeAfter(previous: Promise<unknown>, line: string): Promise<void> {
    try {
      await previous;
      await out(line);
      writtenLines++;
    } finally {
      waitingLines--;
    }
  }

  return {
    write(line) {
      waitingLines++;
      const written = writeAfter(lastWrite, line);
      // Its caller reports a failed write; the next line is tried all the same.
      lastWrite = written.catch(() => undefined);
      return written;
    },
    get waitingLines() {
      return waitingLines;
    },
    get writtenLines() {
      return writtenLines;
    },
  };
}
