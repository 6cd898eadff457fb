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
import { runModelStep, type StepAnswer, StepFailure } from "./model-step.ts";
import { findRetryDelayMs, toProviderError, toProviderFailure } from "./provider-errors.ts";
import type { ModelTarget } from "./providers.ts";
import { repairHistory } from "./repair-history.ts";
import type { OnRunEvent } from "./run-events.ts";
import type { Tally } from "./run-report.ts";
import type { Transcript } from "./transcript.ts";

/** What a run is made of. */
export type AgentOptions = {
  readonly target: ModelTarget;
  readonly session: Session;
  readonly transcript: Transcript;
  readonly tools: readonly Tool[];
  readonly onEvent: OnRunEvent;
  /** The way to the provider. */
  readonly fetch: typeof globalThis.fetch;
};

/** Asks the model what comes after this history, as the step of this number. */
export type AskModel = (history: readonly ModelMessage[], step: number) => Promise<StepAnswer>;

/** What was set aside on the way is in the transcript before anything else happens, whatever came of the step. */
export async function openModelClient(options: AgentOptions, tally: Tally): Promise<AskModel> {
  const { session, target, transcript, tools, onEvent } = options;
  const { signal, settings } = session;
  const counter = countRequests(options.fetch, tally);
  const newStubs: KnownStub[] = [];
  let overflow: OverflowReport | undefined;
  const recovery = openRecovery(session, {
    sticky: stubsOfOne(transcript.stubs, (stubs) => void newStubs.push(...stubs)),
    onFailed: (report) => {
      overflow = report;
    },
  });
  const model = await loadModel(target, withOverflowRecovery(counter.fetch, { session, recovery }));
  const timestamp = (): string => new Date(session.now()).toISOString();

  /** Asks again, a few times, while the provider is busy; never after its first word. */
  async function askWithRetries(history: readonly ModelMessage[], step: number): Promise<StepAnswer> {
    const requestsBefore = counter.counts.requests;
    for (let retries = 0; ; retries++) {
      const answer = await askOnce(history, step);
      if (!(answer instanceof StepFailure)) {
        await reportStep(answer, { step, retries, requests: counter.counts.requests - requestsBefore });
        return answer;
      }
      const { wait_ms, reason } = retryDelayOrThrow(answer, retries);
      const retry = { step, attempt: retries + 1, wait_ms, reason };
      await onEvent({ type: "retry", ...retry });
      await pause(wait_ms, undefined, { signal });
      tally.countRetry();
      session.emit({ event: "run.retried", ...retry });
    }
  }

  /** Words of an answer that was broken off are kept. */
  async function askOnce(history: readonly ModelMessage[], step: number): Promise<StepAnswer | StepFailure> {
    let receivedText = "";
    const onText = (text: string) => {
      receivedText += text;
      return onEvent({ type: "text", step, text });
    };
    try {
      const { system } = transcript.head;
      return await runModelStep({ model, system, messages: repairHistory(history), tools, signal, onText });
    } catch (error) {
      if (receivedText !== "") await transcript.add({ type: "partial", at: timestamp(), text: receivedText });
      signal.throwIfAborted();
      if (error instanceof StepFailure) return error;
      throw error;
    } finally {
      const stubs = newStubs.splice(0);
      if (stubs.length > 0) await transcript.add({ type: "stubs", at: timestamp(), stubs });
    }
  }

  /** How long to wait, and why; throws what will not pass. */
  function retryDelayOrThrow({ hasStarted, cause }: StepFailure, retries: number): { wait_ms: number; reason: string } {
    if (overflow !== undefined) throw new ContextOverflowError(overflow, cause);
    const fault = toProviderFailure(cause);
    const mayRetry = retries < settings["runner.retries"] && !hasStarted;
    const waitMs = mayRetry ? findRetryDelayMs(fault, retries + 1, settings["runner.retry_wait"]) : undefined;
    if (waitMs !== undefined) {
      return { wait_ms: Math.round(waitMs), reason: String(fault.status ?? fault.code ?? "broken off") };
    }
    throw cause instanceof SpillwayError
      ? cause
      : toProviderError(fault, { target, hasStarted, isRecoveryOn: recovery.mode === "on" }, cause);
  }

  async function reportStep(answer: StepAnswer, counts: { step: number; retries: number; requests: number }) {
    const { finish, calls, message } = answer;
    const { step, retries, requests } = counts;
    // Some servers count nothing; the limit of tokens holds for them as well.
    const tokens_in = answer.tokensIn ?? estimateTokens(counter.counts.chars);
    const tokens_out = answer.tokensOut ?? estimateTokens(JSON.stringify(message?.content ?? "").length);
    const sizes = { tokens_in, tokens_out, requests };
    const modelName = `${target.provider}:${target.model}`;
    session.emit({ event: "run.step", step, model: modelName, ...sizes, retries, tool_calls: calls.length, finish });
    await onEvent({ type: "step", step, ...sizes, finish });
  }

  return askWithRetries;
}

/** Counts what is really sent, whoever asked for it. */
function countRequests(fetch: typeof globalThis.fetch, tally: Tally) {
  const counts = { requests: 0, chars: 0 };
  const countingFetch: typeof globalThis.fetch = (input, init) => {
    counts.requests++;
    tally.countRequest();
    counts.chars = typeof init?.body === "string" ? init.body.length : 0;
    return fetch(input, init);
  };
  return { fetch: countingFetch, counts };
}
