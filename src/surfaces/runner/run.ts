/** The agent loop: ask, carry out, remember; until the task is answered or a limit is reached. */
import { setTimeout as pause } from "node:timers/promises";
import type { ModelMessage } from "ai";
import type { OverflowReport } from "../../answer/overflow.ts";
import { SpillwayError } from "../../errors.ts";
import { CHAR_TO_TOKEN_RATIO } from "../../fit/limits.ts";
import { estimateTokens } from "../../fit/measure.ts";
import { ContextOverflowError } from "../../overflow/failure.ts";
import { withOverflowRecovery } from "../../overflow/fetch.ts";
import { knownLimits } from "../../overflow/limits.ts";
import { openRecovery } from "../../overflow/open.ts";
import { type KnownStub, stubsOfOne } from "../../overflow/sticky.ts";
import type { Session } from "../../session.ts";
import type { Event } from "../../telemetry/events.ts";
import type { Tool } from "../../tools/tool.ts";
import { answerCalls, type Call, fieldsOf, hidden, withoutSecrets } from "./calls.ts";
import type { RunEvent, Tell } from "./events.ts";
import { faultOf, providerError, waitBefore } from "./faults.ts";
import { loadModel } from "./model.ts";
import type { Target } from "./providers.ts";
import { sendable } from "./repair.ts";
import { createTally, endingOf, type RunEnding, type RunReport } from "./report.ts";
import { type Ask, askModel, type StepAnswer, StepFailure } from "./step.ts";
import type { Transcript } from "./transcript.ts";

export type RunSetting = {
  readonly target: Target;
  readonly session: Session;
  readonly transcript: Transcript;
  readonly tools: readonly Tool[];
  readonly tell: Tell;
  /** The way to the provider. */
  readonly fetch: typeof globalThis.fetch;
};

/** Goes on from where the transcript ends. What went wrong is thrown after it was written down. */
export async function runAgent(setting: RunSetting): Promise<RunReport> {
  const { transcript, session, tell } = setting;
  const tally = createTally();
  const emit = (event: Event) => {
    tally.add(event);
    session.emit(event);
  };
  const deadline = AbortSignal.timeout(session.settings["runner.time"]);
  const watched = { ...session, emit, signal: AbortSignal.any([session.signal, deadline]) };
  let failure: unknown;
  const how = await untilDone({ ...setting, session: watched }, tally).catch((error: unknown): RunEnding => {
    if (session.signal.aborted) return "interrupted";
    if (deadline.aborted) return "time";
    failure = error;
    return "failed";
  });
  const error = failure === undefined ? null : failure instanceof SpillwayError ? failure.code : "internal";
  const report = tally.report(how, error);
  session.emit({ event: "run.ended", ...report });
  // A transcript that cannot be written is told by the failure itself.
  await transcript.add({ type: "end", at: new Date(session.now()).toISOString(), ...report }).catch(() => undefined);
  await tell({ type: "summary", run: transcript.head.run, transcript: transcript.path, ...report });
  if (failure !== undefined) throw failure;
  return report;
}

type Tally = ReturnType<typeof createTally>;

async function untilDone(setting: RunSetting, tally: Tally): Promise<RunEnding> {
  const { session, transcript, tools } = setting;
  const wire = countedFetch(setting.fetch, tally);
  const newStubs: KnownStub[] = [];
  const failed: { report?: OverflowReport } = {};
  const recovery = openRecovery(session, {
    sticky: stubsOfOne(transcript.stubs, (stubs) => void newStubs.push(...stubs)),
    onFailed: (report) => {
      failed.report = report;
    },
  });
  const model = await loadModel(setting.target, withOverflowRecovery(wire.fetch, { session, recovery }));
  const turnChars = turnCharsFor(setting);
  const history = [...transcript.messages];
  for (;;) {
    const reached = limitReached(tally, session);
    if (reached !== undefined) return reached;
    const step = tally.steps() + 1;
    const { message, calls, finish } = await askPatiently(setting, {
      model,
      history,
      step,
      wire,
      tally,
      failed,
    }).finally(rememberStubs);
    if (message !== undefined) await remember(message, { finish });
    if (calls.length === 0) return endingOf(message, finish);
    const onAnswered = (call: Call, text: string, isError: boolean) => {
      tally.answered(text.length);
      return setting.tell(toolEvent(step, call, text, isError, tools));
    };
    await remember(await answerCalls(calls, { tools, session, turnChars, onAnswered }));
  }

  /** What was set aside is set aside in the next process too, whatever came of the step. */
  async function rememberStubs(): Promise<void> {
    const stubs = newStubs.splice(0);
    if (stubs.length > 0) await transcript.add({ type: "stubs", at: new Date(session.now()).toISOString(), stubs });
  }

  async function remember(message: ModelMessage, more: { readonly finish?: string } = {}): Promise<void> {
    const at = new Date(session.now()).toISOString();
    await transcript.add({ type: "message", at, message: withoutSecrets(message, tools), ...more });
    history.push(message);
  }
}

function limitReached(tally: Tally, { settings }: Session): RunEnding | undefined {
  if (tally.steps() >= settings["runner.steps"]) return "steps";
  return tally.tokens() >= settings["runner.tokens"] ? "tokens" : undefined;
}

/** A turn that fills the window would leave nothing that could be set aside. */
function turnCharsFor({ session: { settings }, target: { model } }: RunSetting): number {
  const windowTokens = knownLimits(settings["overflow.limits"]).tokensFor({ endpoint: "", model }) ?? Infinity;
  return Math.min(settings["runner.turn_chars"], Math.floor((windowTokens * CHAR_TO_TOKEN_RATIO) / 4));
}

type Wire = ReturnType<typeof countedFetch>;

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

type Step = {
  readonly model: Ask["model"];
  readonly history: readonly ModelMessage[];
  readonly step: number;
  readonly wire: Wire;
  readonly tally: Tally;
  /** Holds the report once recovery has given up. */
  readonly failed: { readonly report?: OverflowReport };
};

/** Asks again, a few times, while the provider is busy; never after its first word. */
async function askPatiently(setting: RunSetting, asking: Step): Promise<StepAnswer> {
  const { model, history, step, wire, tally, failed } = asking;
  const { session, target, transcript, tools, tell } = setting;
  const { signal, settings } = session;
  const before = wire.counts.requests;
  for (let retries = 0; ; retries++) {
    let said = "";
    const onText = (text: string) => {
      said += text;
      return tell({ type: "text", step, text });
    };
    try {
      const { system } = transcript.head;
      const answer = await askModel({ model, system, messages: sendable(history), tools, signal, onText });
      await stepEnded(answer, retries);
      return answer;
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      if (said !== "") await transcript.add({ type: "partial", at: new Date(session.now()).toISOString(), text: said });
      signal.throwIfAborted();
      if (failed.report !== undefined) throw new ContextOverflowError(failed.report, error.cause);
      const fault = faultOf(error.cause);
      const may = retries < settings["runner.retries"] && !error.begun;
      const waitMs = may ? waitBefore(fault, retries + 1, settings["runner.retry_wait"]) : undefined;
      if (waitMs === undefined) throw asSpillwayError(error, setting);
      const reason = String(fault.status ?? fault.code ?? "broken off");
      const retry = { step, attempt: retries + 1, wait_ms: Math.round(waitMs), reason };
      await tell({ type: "retry", ...retry });
      await pause(waitMs, undefined, { signal });
      tally.retried();
      session.emit({ event: "run.retried", ...retry });
    }
  }

  async function stepEnded(answer: StepAnswer, retries: number): Promise<void> {
    const { finish, calls, message } = answer;
    // Some servers count nothing; the limit of tokens holds for them as well.
    const tokensIn = answer.tokensIn ?? estimateTokens(wire.counts.chars);
    const tokensOut = answer.tokensOut ?? estimateTokens(JSON.stringify(message?.content ?? "").length);
    const sizes = { tokens_in: tokensIn, tokens_out: tokensOut, requests: wire.counts.requests - before };
    const named = `${target.provider}:${target.model}`;
    session.emit({ event: "run.step", step, model: named, ...sizes, retries, tool_calls: calls.length, finish });
    await tell({ type: "step", step, ...sizes, finish });
  }
}

function asSpillwayError({ begun, cause }: StepFailure, { target, session }: RunSetting): SpillwayError {
  if (cause instanceof SpillwayError) return cause;
  const recovers = session.settings["runner.enable_model_overflow_fallback"] === "on";
  return providerError(faultOf(cause), { target, begun, recovers }, cause);
}

function toolEvent(step: number, call: Call, text: string, isError: boolean, tools: readonly Tool[]): RunEvent {
  const { toolCallId: call_id, toolName: tool } = call;
  const input = hidden(call.input, fieldsOf(call, tools));
  const artifact_refs = [...new Set(text.match(/\baf_[0-9a-f]{32}\b/g))];
  return { type: "tool", step, call_id, tool, input, chars: text.length, is_error: isError, artifact_refs };
}
