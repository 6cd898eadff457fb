/** Streams that have no end of their own: they end with the token that opened them. */
import type { ServerResponse } from "node:http";

/** How often the token of an open stream is looked at again. */
export const TOKEN_CHECK_MS = 15_000;

/** Ends the answer as soon as the token is not valid any more, or cannot be checked. */
export function endWithToken(response: ServerResponse, isValid: () => Promise<boolean>, checkMs: number): void {
  const check = setInterval(() => {
    isValid()
      .catch(() => false)
      .then((isStillValid) => {
        if (!isStillValid) response.destroy();
      });
  }, checkMs);
  check.unref();
  response.once("close", () => clearInterval(check));
}
