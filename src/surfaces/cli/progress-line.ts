/** Shows what a verb is doing in one line of the terminal, which is removed before the answer. */
import type { Session } from "../../session/session.ts";
import type { Call } from "./command.ts";

/** Runs a verb with a session that reports its progress to the terminal. */
export async function withProgressLine<T>(
  { terminal }: Call,
  session: Session,
  run: (session: Session) => Promise<T>,
): Promise<T> {
  let isDrawn = false;
  const draw = (line: string): void => {
    isDrawn = true;
    terminal.progress?.(line);
  };
  try {
    return await run({ ...session, progress: draw });
  } finally {
    if (isDrawn) terminal.progress?.("");
  }
}
