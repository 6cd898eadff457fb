/** The agent loop: ask, carry out, remember; until the task is answered or a limit is reached. */
import type { ModelMessage } from "ai";
import { SpillwayError } from "../../errors.ts";
import { CHAR_TO_TOKEN_RATIO } from "../../fit/limits.ts";
import { knownLimits } from "../../overflow/known-limits.ts";
import type { Session } from "../../session/session.ts";
import type { Event } from "../../telemetry/events.ts";
import type { Tool } from "../../tools/tool.ts";
import { openAsker, type RunSetting } from "./model-client.ts";
import type { RunEvent } from "./run-events.ts";
import { createTally, endingOf, type RunEnding, type RunReport, type Tally } from "./run-report.ts";
import { answerCalls, type Call, fieldsOf, hidden, withoutSecrets } from "./tool-calls.ts";

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

async function untilDone(setting: RunSetting, tally: Tally): Promise<RunEnding> {
  const { session, transcript, tools, tell } = setting;
  const ask = await openAsker(setting, tally);
  const turnChars = turnCharsFor(setting);
  const history = [...transcript.messages];
  for (;;) {
    const reached = limitReached(tally, session);
    if (reached !== undefined) return reached;
    const step = tally.steps() + 1;
    const { message, calls, finish } = await ask(history, step);
    if (message !== undefined) await remember(message, { finish });
    if (calls.length === 0) return endingOf(message, finish);
    const onAnswered = (call: Call, text: string, isError: boolean) => {
      tally.answered(text.length);
      return tell(toolEvent(step, call, text, isError, tools));
    };
    await remember(await answerCalls(calls, { tools, session, turnChars, onAnswered }));
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

function toolEvent(step: number, call: Call, text: string, isError: boolean, tools: readonly Tool[]): RunEvent {
  const { toolCallId: call_id, toolName: tool } = call;
  const input = hidden(call.input, fieldsOf(call, tools));
  const artifact_refs = [...new Set(text.match(/\baf_[0-9a-f]{32}\b/g))];
  return { type: "tool", step, call_id, tool, input, chars: text.length, is_error: isError, artifact_refs };
}
