/** Serves one client over standard input and output. */
import type { Link } from "../server-link.ts";
import { splitLines } from "../split-lines.ts";

export type LinesOptions = {
  readonly input: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  out(text: string): Promise<void>;
  log(sentence: string): void;
  /** Opens what the client talks to. */
  open(toClient: (line: string) => Promise<void>): Link;
};

/** Serves until the client closes its side (true), or until nothing can be served any more (false). */
export async function serveLines({ input, signal, out, log, open }: LinesOptions): Promise<boolean> {
  const link = open((line) => out(`${line}\n`));
  let isServing = true;
  // Once nothing is served any more, the input is closed on our side, which is not an error of the client.
  const logClient = (text: string) => (isServing ? log(text) : undefined);
  const left = readClient(input, link, logClient).then(() => "left" as const);
  const first = await Promise.race([left, link.ended, waitForAbort(signal)]);
  isServing = false;
  await link.stop();
  return first === "left" || first === "aborted";
}

async function readClient(input: AsyncIterable<Uint8Array>, link: Link, log: (text: string) => void): Promise<void> {
  try {
    for await (const line of splitLines(input)) await link.fromClient(line);
  } catch (error) {
    log(`client: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function waitForAbort(signal: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}
