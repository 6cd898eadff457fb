/** Asks a provider how many tokens a request has, where it counts them for free. */
import type { OutgoingRequest } from "./outgoing-request.ts";

/** How to reach the provider of a request, and nothing else. */
export type ProviderAccess = {
  /** Where the request is posted. */
  readonly url: URL;
  /** Posts a JSON body and returns that of the answer, or undefined where it is not a success. */
  post(address: URL, json: string, signal: AbortSignal): Promise<string | undefined>;
};

/** The answer to the client waits for the count. */
const TIMEOUT_MS = 15_000;

/** The input tokens of a request by the count of its own provider. Undefined where that cannot count. */
export async function countTokens(
  { url, post }: ProviderAccess,
  outgoing: OutgoingRequest,
): Promise<number | undefined> {
  const { tokenCounter } = outgoing.dialect;
  if (tokenCounter === undefined) return undefined;
  const json = JSON.stringify(tokenCounter.bodyFor(outgoing.request, url));
  try {
    const answer = await post(tokenCounter.addressFor(url), json, AbortSignal.timeout(TIMEOUT_MS));
    const tokens: unknown = answer === undefined ? undefined : JSON.parse(answer)?.[tokenCounter.field];
    return typeof tokens === "number" && tokens > 0 ? tokens : undefined;
  } catch {
    return undefined; // Without a count the estimate decides, as it does by default.
  }
}
