/** Lines of the server's log, which may quote what clients and servers sent. */
import { toTerminalText } from "../../system/terminal-text.ts";

/** The text with every further line indented, and without codes that a terminal would act on: no client writes an entry of its own. */
export function toLogLine(text: string): string {
  return toTerminalText(text.replace(/\r?\n/g, "\n  "));
}
