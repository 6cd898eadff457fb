/** Corrects a plan by the provider's own count of the smaller request, where it counts for free. */
import type { Verdict } from "./classify/verdict.ts";
import type { PreparedRequest } from "./prepared-request.ts";
import { findShortfall, type Shrunk } from "./shrink-request.ts";
import { countTokens, type ProviderAccess } from "./wire/count-tokens.ts";
import type { OutgoingRequest } from "./wire/outgoing-request.ts";

/** Each count sends the whole request. The second plan knows how the provider counts; the third corrects the rest. */
const MAX_COUNTS = 3;

/** Asks for the tokens of the smaller request, and makes it smaller still while it does not fit. */
export async function shrinkCounted(
  first: Shrunk,
  verdict: Verdict,
  shrink: (prepared: PreparedRequest, verdict: Verdict) => Promise<Shrunk>,
  provider: ProviderAccess,
): Promise<Shrunk> {
  const { limit } = verdict;
  if (limit === undefined || verdict.class !== "context_tokens") return first;
  let shrunk = first;
  for (let counts = 0; counts < MAX_COUNTS && findShortfall(shrunk, verdict) === undefined; counts++) {
    const input = await countTokens(provider, shrunk.next.outgoing);
    const output = countOutput(shrunk.next.outgoing);
    if (input === undefined || input + output <= limit) break;
    const counted = { ...verdict, input, output, actual: input + output };
    shrunk = merge(shrunk, await shrink(shrunk.next, counted));
  }
  return shrunk;
}

function countOutput({ dialect, request }: OutgoingRequest): number {
  return dialect.sharesWindow ? (dialect.findOutputLimit(request)?.tokens ?? 0) : 0;
}

/** The later plan with the stubs of both. A part that was cut twice has the later stub. */
function merge(before: Shrunk, after: Shrunk): Shrunk {
  const stubs = [...before.shedding.stubs, ...after.shedding.stubs].map(
    (stub) => [stub.part.path.join("."), stub] as const,
  );
  return { ...after, shedding: { ...after.shedding, stubs: [...new Map(stubs).values()] } };
}
