/** Lines of the server's log, which may quote what clients and servers sent. */

/** The text with every further line indented, and without codes that a terminal would act on: no client writes an entry of its own. */
export function toLogLine(text: string): string {
  return text.replace(/\r?\n/g, "\n  ").replace(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]--[\n]]/gv, "\ufffd");
}
