/** Makes many small reads of a file cheap. */
import type { Body } from "../detect/kind.ts";

const WINDOW_BYTES = 64 * 1024;

/** The same body; a small read also loads what follows, since each read opens the file. */
export function readAhead(body: Body): Body {
  let windowStart = 0;
  let window: Uint8Array = new Uint8Array();
  return {
    ...body,
    async read(start, end) {
      if (end - start > WINDOW_BYTES) return body.read(start, end);
      const isLoaded = start >= windowStart && end <= windowStart + window.length;
      if (!isLoaded) [window, windowStart] = [await body.read(start, start + WINDOW_BYTES), start];
      return window.subarray(start - windowStart, end - windowStart);
    },
  };
}
