/** The model client of a run: counts requests, recovers from overflows and retries while the provider is busy. */
import { setTimeout as pause } from "node:timers/promises";
import type { ModelMessage } from "ai";
import type { OverflowReport } from "../../contract/overflow-report.ts";
import { SpillwayError } from "../../errors.ts";
import { estimateTokens } from "../../fit/measure.ts";
import { loadModel } from "../../models/load-model.ts";
import { findRetryDelayMs, toProviderError, toProviderFailure } from "../../models/provider-errors.ts";
import type { ModelTarget } from "../../models/providers.ts";
import { createConversationMemory } from "../../overflow/memory/conversation-memory.ts";
import type { RememberedStub } from "../../overflow/memory/remembered-change.ts";
import { openRecovery } from "../../overflow/open-recovery.ts";
import { withOverflowRecovery } from "../../overflow/overflow-fetch.ts";
import { ContextOverflowError } from "../../overflow/wire/failure.ts";
import type { Session } from "../../session/session.ts";
import type { Tool } from "../../tools/tool.ts";
import { runModelStep, type StepAnswer, StepFailure } from "./model-step.ts";
import { repairHistory } from "./repair-history.ts";
import type { OnRunEvent } from "./run-events.ts";
import type { Tally } from "./run-report.ts";
import type { Transcript } from "./transcript.ts";

/** Options of a run. */
export type AgentOptions = {
  readonly target: ModelTarget;
  readonly session: Session;
  readonly transcript: Transcript;
  readonly tools: readonly Tool[];
  readonly onEvent: OnRunEvent;
  /** Sends the requests to the provider. */
  readonly fetch: typeof globalThis.fetch;
};

/** Asks the model for the next answer to this history, as the step of this number. */
export type AskModel = (history: readonly ModelMessage[], step: number) => Promise<StepAnswer>;

/** Opens the client. New stubs are in the transcript before the next step, even if the current one fails. */
export async function openModelClient(options: AgentOptions, tally: Tally): Promise<AskModel> {
  const { session, target, transcript, tools, onEvent } = options;
  const { signal, settings } = session;
  const counter = makeCountingFetch(options.fetch, tally);
  const newStubs: RememberedStub[] = [];
  let overflow: OverflowReport | undefined;
  const recovery = openRecovery(session, {
    memory: createConversationMemory(transcript.stubs, (stubs) => void newStubs.push(...stubs)),
    onFailed: (report) => {
      overflow = report;
    },
  });
  const model = await loadModel(target, withOverflowRecovery(counter.fetch, { session, recovery }));
  const timestamp = (): string => new Date(session.now()).toISOString();

  /** Retries a few times while the provider is busy, but never after its first word. */
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

  /** Asks once. The text of an interrupted answer is recorded. */
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

  /** How long to wait before the next attempt, and why. Throws a failure that waiting cannot help. */
  function retryDelayOrThrow({ hasStarted, cause }: StepFailure, retries: number): { wait_ms: number; reason: string } {
    if (overflow !== undefined) throw new ContextOverflowError(overflow, cause);
    const failure = toProviderFailure(cause);
    const mayRetry = retries < settings["runner.retries"] && !hasStarted;
    const waitMs = mayRetry ? findRetryDelayMs(failure, retries + 1, settings["runner.retry_wait"]) : undefined;
    if (waitMs !== undefined) {
      return { wait_ms: Math.round(waitMs), reason: String(failure.status ?? failure.code ?? "broken off") };
    }
    throw cause instanceof SpillwayError
      ? cause
      : toProviderError(failure, { target, hasStarted, isRecoveryOn: recovery.mode === "on" }, cause);
  }

  async function reportStep(answer: StepAnswer, counts: { step: number; retries: number; requests: number }) {
    const { finish, calls, message } = answer;
    const { step, retries, requests } = counts;
    // Some servers report no usage; the limit on tokens applies to them too.
    const tokens_in = answer.tokensIn ?? estimateTokens(counter.counts.chars);
    const tokens_out = answer.tokensOut ?? estimateTokens(JSON.stringify(message?.content ?? "").length);
    const sizes = { tokens_in, tokens_out, requests };
    const modelName = `${target.provider}:${target.model}`;
    session.emit({ event: "run.step", step, model: modelName, ...sizes, retries, tool_calls: calls.length, finish });
    await onEvent({ type: "step", step, ...sizes, finish });
  }

  return askWithRetries;
}

/** Counts the requests that are actually sent, including retries by recovery. */
function makeCountingFetch(fetch: typeof globalThis.fetch, tally: Tally) {
  const counts = { requests: 0, chars: 0 };
  const countingFetch: typeof globalThis.fetch = (input, init) => {
    counts.requests++;
    tally.countRequest();
    counts.chars = typeof init?.body === "string" ? init.body.length : 0;
    return fetch(input, init);
  };
  return { fetch: countingFetch, counts };
}
