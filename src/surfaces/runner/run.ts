/** The agent loop: ask, carry out, remember; until the task is answered or a limit is reached. */
import { setTimeout as pause } from "node:timers/promises";
import type { ModelMessage, ToolCallPart } from "ai";
import { SpillwayError } from "../../errors.ts";
import { CHAR_TO_TOKEN_RATIO } from "../../fit/limits.ts";
import { estimateTokens } from "../../fit/measure.ts";
import { withOverflowRecovery } from "../../overflow/fetch.ts";
import { knownLimits } from "../../overflow/limits.ts";
import { openRecovery } from "../../overflow/open.ts";
import { type KnownStub, stubsOfOne } from "../../overflow/sticky.ts";
import type { Session } from "../../session.ts";
import type { Event } from "../../telemetry/events.ts";
import type { Tool } from "../../tools/tool.ts";
import { answerCalls, hidden, withoutSecrets } from "./calls.ts";
import type { RunEvent, Tell } from "./events.ts";
import { faultOf, providerError, waitBefore } from "./faults.ts";
import { loadModel } from "./model.ts";
import type { Target } from "./providers.ts";
import { sendable } from "./repair.ts";
import { createTally, type RunEnding, type RunReport } from "./report.ts";
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
  const report = tally.report(how);
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
  const recovery = openRecovery(
    session,
    stubsOfOne(transcript.stubs, (stubs) => void newStubs.push(...stubs)),
  );
  const model = await loadModel(setting.target, withOverflowRecovery(wire.fetch, { session, recovery }));
  const turnChars = turnCharsFor(setting);
  const history = [...transcript.messages];
  for (;;) {
    const reached = limitReached(tally, session);
    if (reached !== undefined) return reached;
    const step = tally.steps() + 1;
    const answer = await askPatiently(setting, { model, history, step, wire, tally });
    await remember(answer.messages);
    const onAnswered = (call: ToolCallPart, text: string, isError: boolean) => {
      tally.answered(text.length);
      return setting.tell(toolEvent(step, call, text, isError, tools));
    };
    for (const { call, text } of answer.unreadable) await onAnswered(call, text, true);
    if (answer.calls.length === 0 && answer.messages.at(-1)?.role !== "tool") return endingOf(answer);
    if (answer.calls.length > 0)
      await remember([await answerCalls(answer.calls, { tools, session, turnChars, onAnswered })]);
  }

  async function remember(messages: readonly ModelMessage[]): Promise<void> {
    const at = new Date(session.now()).toISOString();
    const stubs = newStubs.splice(0);
    await transcript.add(
      ...(stubs.length === 0 ? [] : [{ type: "stubs" as const, at, stubs }]),
      ...messages.map((message) => ({ type: "message" as const, at, message: withoutSecrets(message, tools) })),
    );
    history.push(...messages);
  }
}

const endingOf = ({ finish }: StepAnswer): RunEnding => (["stop", "other"].includes(finish) ? "answered" : "cut");

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
};

/** Asks again, a few times, while the provider is busy; never after its first word. */
async function askPatiently(setting: RunSetting, { model, history, step, wire, tally }: Step): Promise<StepAnswer> {
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
      const fault = faultOf(error.cause);
      const may = retries < settings["runner.retries"] && !error.begun;
      const waitMs = may ? waitBefore(fault, retries + 1, settings["runner.retry_wait"]) : undefined;
      if (waitMs === undefined) throw asSpillwayError(error.cause, setting);
      const reason = String(fault.status ?? fault.code ?? "broken off");
      await tell({ type: "retry", step, attempt: retries + 1, wait_ms: Math.round(waitMs), reason });
      tally.retried();
      await pause(waitMs, undefined, { signal });
    }
  }

  async function stepEnded(answer: StepAnswer, retries: number): Promise<void> {
    const { finish, calls, unreadable, tokensIn = estimateTokens(wire.counts.chars), tokensOut = 0 } = answer;
    const sizes = { tokens_in: tokensIn, tokens_out: tokensOut, requests: wire.counts.requests - before };
    const named = `${target.provider}:${target.model}`;
    const tool_calls = calls.length + unreadable.length;
    session.emit({ event: "run.step", step, model: named, ...sizes, retries, tool_calls, finish });
    await tell({ type: "step", step, ...sizes, finish });
  }
}

function asSpillwayError(cause: unknown, { target }: RunSetting): SpillwayError {
  return cause instanceof SpillwayError ? cause : providerError(faultOf(cause), target, cause);
}

function toolEvent(step: number, call: ToolCallPart, text: string, isError: boolean, tools: readonly Tool[]): RunEvent {
  const { toolCallId: call_id, toolName: tool } = call;
  const input = hidden(call.input, tools.find(({ name }) => name === tool)?.input ?? {});
  const artifact_refs = [...new Set(text.match(/\baf_[0-9a-f]{32}\b/g))];
  return { type: "tool", step, call_id, tool, input, chars: text.length, is_error: isError, artifact_refs };
}
