/** The way from a run to its model: counted, recovered, asked again while the provider is busy, and told. */
import { setTimeout as pause } from "node:timers/promises";
import type { ModelMessage } from "ai";
import type { OverflowReport } from "../../answer/overflow-reply.ts";
import { SpillwayError } from "../../errors.ts";
import { estimateTokens } from "../../fit/measure.ts";
import { openRecovery } from "../../overflow/open-recovery.ts";
import { type KnownStub, stubsOfOne } from "../../overflow/sticky.ts";
import { ContextOverflowError } from "../../overflow/wire/failure.ts";
import { withOverflowRecovery } from "../../overflow/wire/overflow-fetch.ts";
import type { Session } from "../../session/session.ts";
import type { Tool } from "../../tools/tool.ts";
import { loadModel } from "./load-model.ts";
import { askModel, type StepAnswer, StepFailure } from "./model-step.ts";
import { faultOf, providerError, waitBefore } from "./provider-errors.ts";
import type { Target } from "./providers.ts";
import { sendable } from "./repair-history.ts";
import type { Tell } from "./run-events.ts";
import type { Tally } from "./run-report.ts";
import type { Transcript } from "./transcript.ts";

/** What a run is made of. */
export type RunSetting = {
  readonly target: Target;
  readonly session: Session;
  readonly transcript: Transcript;
  readonly tools: readonly Tool[];
  readonly tell: Tell;
  /** The way to the provider. */
  readonly fetch: typeof globalThis.fetch;
};

/** Asks the model what comes after this history, as the step of this number. */
export type Asker = (history: readonly ModelMessage[], step: number) => Promise<StepAnswer>;

/** What was set aside on the way is in the transcript before anything else happens, whatever came of the step. */
export async function openAsker(setting: RunSetting, tally: Tally): Promise<Asker> {
  const { session, target, transcript, tools, tell } = setting;
  const { signal, settings } = session;
  const wire = countedFetch(setting.fetch, tally);
  const newStubs: KnownStub[] = [];
  let overflow: OverflowReport | undefined;
  const recovery = openRecovery(session, {
    sticky: stubsOfOne(transcript.stubs, (stubs) => void newStubs.push(...stubs)),
    onFailed: (report) => {
      overflow = report;
    },
  });
  const model = await loadModel(target, withOverflowRecovery(wire.fetch, { session, recovery }));
  const at = (): string => new Date(session.now()).toISOString();

  /** Asks again, a few times, while the provider is busy; never after its first word. */
  async function askPatiently(history: readonly ModelMessage[], step: number): Promise<StepAnswer> {
    const before = wire.counts.requests;
    for (let retries = 0; ; retries++) {
      const answer = await askOnce(history, step);
      if (!(answer instanceof StepFailure)) {
        await stepEnded(answer, { step, retries, requests: wire.counts.requests - before });
        return answer;
      }
      const { wait_ms, reason } = passing(answer, retries);
      const retry = { step, attempt: retries + 1, wait_ms, reason };
      await tell({ type: "retry", ...retry });
      await pause(wait_ms, undefined, { signal });
      tally.retried();
      session.emit({ event: "run.retried", ...retry });
    }
  }

  /** Words of an answer that was broken off are kept. */
  async function askOnce(history: readonly ModelMessage[], step: number): Promise<StepAnswer | StepFailure> {
    let said = "";
    const onText = (text: string) => {
      said += text;
      return tell({ type: "text", step, text });
    };
    try {
      const { system } = transcript.head;
      return await askModel({ model, system, messages: sendable(history), tools, signal, onText });
    } catch (error) {
      if (said !== "") await transcript.add({ type: "partial", at: at(), text: said });
      signal.throwIfAborted();
      if (error instanceof StepFailure) return error;
      throw error;
    } finally {
      const stubs = newStubs.splice(0);
      if (stubs.length > 0) await transcript.add({ type: "stubs", at: at(), stubs });
    }
  }

  /** How long to wait, and why; throws what will not pass. */
  function passing({ begun, cause }: StepFailure, retries: number): { wait_ms: number; reason: string } {
    if (overflow !== undefined) throw new ContextOverflowError(overflow, cause);
    const fault = faultOf(cause);
    const may = retries < settings["runner.retries"] && !begun;
    const waitMs = may ? waitBefore(fault, retries + 1, settings["runner.retry_wait"]) : undefined;
    if (waitMs !== undefined) {
      return { wait_ms: Math.round(waitMs), reason: String(fault.status ?? fault.code ?? "broken off") };
    }
    throw cause instanceof SpillwayError
      ? cause
      : providerError(fault, { target, begun, recovers: recovery.mode === "on" }, cause);
  }

  async function stepEnded(answer: StepAnswer, counts: { step: number; retries: number; requests: number }) {
    const { finish, calls, message } = answer;
    const { step, retries, requests } = counts;
    // Some servers count nothing; the limit of tokens holds for them as well.
    const tokens_in = answer.tokensIn ?? estimateTokens(wire.counts.chars);
    const tokens_out = answer.tokensOut ?? estimateTokens(JSON.stringify(message?.content ?? "").length);
    const sizes = { tokens_in, tokens_out, requests };
    const named = `${target.provider}:${target.model}`;
    session.emit({ event: "run.step", step, model: named, ...sizes, retries, tool_calls: calls.length, finish });
    await tell({ type: "step", step, ...sizes, finish });
  }

  return askPatiently;
}

/** Counts what is really sent, whoever asked for it. */
function countedFetch(fetch: typeof globalThis.fetch, tally: Tally) {
  const counts = { requests: 0, chars: 0 };
  const counting: typeof globalThis.fetch = (input, init) => {
    counts.requests++;
    tally.sent();
    counts.chars = typeof init?.body === "string" ? init.body.length : 0;
    return fetch(input, init);
  };
  return { fetch: counting, counts };
}
