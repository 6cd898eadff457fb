/** The agent loop: ask the model, run its tool calls, record the messages, until an answer or a limit. */
import type { ModelMessage } from "ai";
import { SpillwayError } from "../../errors.ts";
import { CHAR_TO_TOKEN_RATIO } from "../../fit/limits.ts";
import { createKnownLimits } from "../../overflow/limits/known-limits.ts";
import type { Session } from "../../session/session.ts";
import type { Event } from "../../telemetry/events.ts";
import type { Tool } from "../../tools/tool.ts";
import { type AgentOptions, openModelClient } from "./model-client.ts";
import type { RunEvent } from "./run-events.ts";
import { classifyEnding, createTally, type RunEnding, type RunReport, type Tally } from "./run-report.ts";
import { answerCalls, findParameters, hideSecrets, removeSecrets, type ToolCall } from "./tool-calls.ts";

/** Continues from the end of the transcript. A failure is recorded first and then thrown. */
export async function runAgent(options: AgentOptions): Promise<RunReport> {
  const { transcript, session, onEvent } = options;
  const tally = createTally();
  const emit = (event: Event) => {
    tally.add(event);
    session.emit(event);
  };
  const deadline = AbortSignal.timeout(session.settings["runner.time"]);
  const watchedSession = { ...session, emit, signal: AbortSignal.any([session.signal, deadline]) };
  let failure: unknown;
  const ending = await runSteps({ ...options, session: watchedSession }, tally).catch((error: unknown): RunEnding => {
    if (session.signal.aborted) return "interrupted";
    if (deadline.aborted) return "time";
    failure = error;
    return "failed";
  });
  const error = failure === undefined ? null : failure instanceof SpillwayError ? failure.code : "internal";
  const report = tally.makeReport(ending, error);
  session.emit({ event: "run.ended", ...report });
  // If the transcript cannot be written, the failure itself says so.
  await transcript.add({ type: "end", at: new Date(session.now()).toISOString(), ...report }).catch(() => undefined);
  await onEvent({ type: "summary", run: transcript.head.run, transcript: transcript.path, ...report });
  if (failure !== undefined) throw failure;
  return report;
}

async function runSteps(options: AgentOptions, tally: Tally): Promise<RunEnding> {
  const { session, transcript, tools, onEvent } = options;
  const ask = await openModelClient(options, tally);
  const turnChars = turnBudgetChars(options);
  const history = [...transcript.messages];
  for (;;) {
    const limit = findReachedLimit(tally, session);
    if (limit !== undefined) return limit;
    const step = tally.stepCount() + 1;
    const { message, calls, finish } = await ask(history, step);
    if (message !== undefined) await recordMessage(message, { finish });
    if (calls.length === 0) return classifyEnding(message, finish);
    const onAnswered = (call: ToolCall, text: string, isError: boolean) => {
      tally.countResult(text.length);
      return onEvent(toolEvent(step, call, text, isError, tools));
    };
    await recordMessage(await answerCalls(calls, { tools, session, turnChars, onAnswered }));
  }

  async function recordMessage(message: ModelMessage, extraFields: { readonly finish?: string } = {}): Promise<void> {
    const at = new Date(session.now()).toISOString();
    await transcript.add({ type: "message", at, message: removeSecrets(message, tools), ...extraFields });
    history.push(message);
  }
}

function findReachedLimit(tally: Tally, { settings }: Session): RunEnding | undefined {
  if (tally.stepCount() >= settings["runner.steps"]) return "steps";
  return tally.totalTokens() >= settings["runner.tokens"] ? "tokens" : undefined;
}

/** The budget of a turn: at most a quarter of the model's window, so that older turns can make room for it. */
function turnBudgetChars({ session: { settings }, target: { model } }: AgentOptions): number {
  const windowTokens = createKnownLimits(settings["overflow.limits"]).tokensFor({ endpoint: "", model }) ?? Infinity;
  return Math.min(settings["runner.turn_chars"], Math.floor((windowTokens * CHAR_TO_TOKEN_RATIO) / 4));
}

function toolEvent(step: number, call: ToolCall, text: string, isError: boolean, tools: readonly Tool[]): RunEvent {
  const { toolCallId: call_id, toolName: tool } = call;
  const input = hideSecrets(call.input, findParameters(call, tools));
  const artifact_refs = [...new Set(text.match(/\baf_[0-9a-f]{32}\b/g))];
  return { type: "tool", step, call_id, tool, input, chars: text.length, is_error: isError, artifact_refs };
}
