/** `AbortSignal.timeout` under the control of a test. */
import type { TestContext } from "node:test";

/** Until the test ends, signals of `AbortSignal.timeout` abort only when the test says so. */
export function controlTimeouts(t: TestContext): { expire(ms: number): void } {
  const controllers: { readonly ms: number; readonly controller: AbortController }[] = [];
  t.mock.method(AbortSignal, "timeout", (ms: number) => {
    const controller = new AbortController();
    controllers.push({ ms, controller });
    return controller.signal;
  });
  return {
    /** Aborts the signals that were made for exactly this time. */
    expire(ms) {
      const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
      for (const each of controllers) if (each.ms === ms) each.controller.abort(reason);
    },
  };
}
