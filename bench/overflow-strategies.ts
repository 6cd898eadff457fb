/** Ways to keep a conversation inside its window: recovery, and what users would have without it. */
import type { RequestBody } from "../src/overflow/dialects/dialect.ts";
import type { HttpSimulator } from "../src/overflow/dialects/simulator.ts";
import { withOverflowRecovery } from "../src/overflow/overflow-fetch.ts";
import { applyEdits } from "../src/system/json-edits.ts";
import { countTokens, type ProviderOptions, simulateProvider } from "../test/provider.ts";
import { openWatchedSession } from "../test/recovery.ts";

/** Sends the next request of a conversation: the body that the provider accepted, if it accepted any. */
export type Send = (request: RequestBody) => Promise<{ readonly accepted?: string; readonly upstreamCalls: number }>;

export type Strategy = (simulator: HttpSimulator, options: ProviderOptions) => Promise<Send>;

/** Recovery, with these settings. */
export const spillway =
  (settings: object = {}): Strategy =>
  async ({ address }, options) => {
    const provider = simulateProvider(options);
    const fetch = withOverflowRecovery(provider.fetch, { session: await openWatchedSession(settings) });
    return async (request) => {
      const before = provider.exchanges.length;
      const { status } = await fetch(address, { method: "POST", body: JSON.stringify(request) });
      const exchanges = provider.exchanges.slice(before);
      const accepted = exchanges.at(-1)?.json ?? "";
      return { upstreamCalls: exchanges.length, ...(status === 200 ? { accepted } : {}) };
    };
  };

/** No recovery: a refusal stays a refusal. */
export const noRecovery: Strategy = async (simulator, options) => async (request) =>
  sendOnce(simulator, options, request);

/** The oldest results are removed, one by one, until the request fits. It is given an exact count, which no client has. */
export const oldestFirst: Strategy = async (simulator, options) => {
  const { dialect, countOutput } = simulator;
  const { windowTokens = Infinity, count = countTokens } = options;
  return async (request) => {
    let next = request;
    for (const part of dialect.findParts(request)) {
      if (count(next) + countOutput(next) <= windowTokens) break;
      if (!part.isNewest) next = applyEdits(next, [{ path: part.path, value: part.makeReplacement("[removed]") }]);
    }
    return sendOnce(simulator, options, next);
  };
};

/**
 * Anthropic's `clear_tool_uses`, simulated: above 70 % of the window all results but the last three are cleared. What was
 * cleared stays cleared. The real one triggers at a number of tokens that the user sets.
 */
export const clearToolUses: Strategy = async (simulator, options) => {
  const { dialect } = simulator;
  const { windowTokens = Infinity, count = countTokens } = options;
  const cleared = new Set<string>();
  const clear = (request: RequestBody): RequestBody => {
    const parts = dialect.findParts(request).filter(({ path }) => cleared.has(path.join(".")));
    return applyEdits(
      request,
      parts.map((part) => ({ path: part.path, value: part.makeReplacement("[cleared]") })),
    );
  };
  return async (request) => {
    if (count(clear(request)) > windowTokens * 0.7) {
      for (const { path } of dialect.findParts(request).slice(0, -3)) cleared.add(path.join("."));
    }
    return sendOnce(simulator, options, clear(request));
  };
};

async function sendOnce({ address }: HttpSimulator, options: ProviderOptions, request: RequestBody): ReturnType<Send> {
  const json = JSON.stringify(request);
  const { status } = await simulateProvider(options).fetch(address, { method: "POST", body: json });
  return { upstreamCalls: 1, ...(status === 200 ? { accepted: json } : {}) };
}

/** The rows of every table. */
export const strategies: Readonly<Record<string, Strategy>> = {
  spillway: spillway(),
  "clear_tool_uses, simulated": clearToolUses,
  "oldest first, exact count": oldestFirst,
  "no recovery": noRecovery,
};
