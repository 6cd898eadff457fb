/** Shows what a verb is doing in one line of the terminal, which is removed before the answer. */
import type { DownloadMonitor } from "../../acquire/source.ts";
import { formatSize } from "../../answer/phrases.ts";
import type { Session } from "../../session/session.ts";
import type { Call } from "./command.ts";

/** Runs a verb with a session that reports its progress to the terminal. */
export async function withProgressLine<T>(
  { terminal }: Call,
  session: Session,
  run: (session: Session) => Promise<T>,
): Promise<T> {
  const { progress } = terminal;
  if (progress === undefined) return run(session);
  let isDrawn = false;
  const draw = (line: string): void => {
    isDrawn = true;
    progress(line);
  };
  try {
    return await run({ ...session, progress: draw, incoming: drawDownload(draw) });
  } finally {
    if (isDrawn) progress("");
  }
}

/** A download is drawn again after this much of it. Shorter ones are over before a line could be read. */
const DRAW_STEP_BYTES = 1024 * 1024;

function drawDownload(draw: (line: string) => void): DownloadMonitor {
  let [total, received, drawn]: [number | undefined, number, number] = [undefined, 0, 0];
  return {
    begin(sizeBytes) {
      [total, received, drawn] = [sizeBytes, 0, 0];
    },
    add(bytes) {
      received += bytes;
      if (received - drawn < DRAW_STEP_BYTES) return;
      drawn = received;
      draw(`downloading: ${formatSize(received)}${total === undefined ? "" : ` of ${formatSize(total)}`}`);
    },
  };
}
