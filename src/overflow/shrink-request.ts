/**
 * Makes a request smaller: plans, keeps and stubs until it fits, or says why it does not. Requests have megabytes, so each
 * step is a turn of the event loop of its own: other streams of the process continue meanwhile.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FailureReason } from "../contract/overflow-report.ts";
import type { Verdict } from "./classify/verdict.ts";
import type { Keep } from "./keep-part.ts";
import { type Plan, planShedding } from "./plan/plan.ts";
import type { PlanOptions } from "./plan/sizes.ts";
import { changeRequest, type PreparedRequest } from "./prepared-request.ts";
import { type Shedding, shed } from "./shed.ts";
import { countWireBytes } from "./wire/outgoing-request.ts";

export type Shrunk = {
  readonly next: PreparedRequest;
  readonly shedding: Shedding;
  readonly plan: Plan;
  /** How many parts had to stay because they could not be kept. */
  readonly unkeptCount: number;
};

/** What a plan is made with, besides the request and what was done to it. */
export type ShrinkOptions = Pick<PlanOptions, "headroom" | "aimFor" | "scale" | "rules" | "written">;

const MAX_ROUNDS = 3;

/** Plans and sheds, and again where a part could not be kept or the exact bytes are still too many. */
export async function shrinkRequest(
  prepared: PreparedRequest,
  verdict: Verdict,
  keep: Keep,
  planOptions: ShrinkOptions,
): Promise<Shrunk> {
  const { original, outgoing } = prepared;
  const wireBytes = countWireBytes(outgoing);
  const stubs = new Map([...prepared.stubs].map(([path, { text }]) => [path, text]));
  const unkept = new Set<string>();
  let shortBy = 0;
  for (let round = 1; ; round++) {
    const options = { ...planOptions, model: original.target.model, wireBytes, stubs, unkept, shortBy };
    const plan = planShedding(original.request, original.dialect, verdict, options);
    await nextTurn();
    const shedding = await shed(original, plan, keep);
    await nextTurn();
    const next = changeRequest(prepared, shedding);
    await nextTurn();
    for (const path of shedding.unkept) unkept.add(path.join("."));
    const isExact = plan.sizes.unit === "bytes" && verdict.unit !== "chars" && verdict.class === "request_bytes";
    const excessBytes = isExact ? countWireBytes(next.outgoing) - plan.sizes.enough : 0;
    if (round === MAX_ROUNDS || (shedding.unkept.length === 0 && excessBytes <= 0))
      return { next, shedding, plan, unkeptCount: unkept.size };
    shortBy += Math.max(0, excessBytes);
  }
}

/** Why the smaller request would not be accepted either, or undefined when it is worth sending. */
export function findShortfall(
  { next, plan, shedding, unkeptCount }: Shrunk,
  verdict: Verdict,
): FailureReason | undefined {
  const notEnough = unkeptCount > 0 ? "not_kept" : "does_not_fit";
  if (shedding.clamp.length + shedding.stubs.length === 0) return unkeptCount > 0 ? "not_kept" : "nothing_to_shed";
  if (plan.fits) return shedding.unkept.length > 0 ? "not_kept" : undefined;
  // Where the provider names no limit the target is a guess: a clearly smaller request is worth the one retry.
  const { before, enough } = plan.sizes;
  if (verdict.limit === undefined && enough + plan.shortBy <= before * 0.95) return undefined;
  if (plan.sizes.unit === "bytes") return countWireBytes(next.outgoing) <= (verdict.limit ?? 0) ? undefined : notEnough;
  // Our token count is an estimate: a near miss is worth the one retry.
  return plan.shortBy <= enough * 0.05 ? undefined : notEnough;
}
