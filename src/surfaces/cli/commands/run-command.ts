/** `spillway run`: runs an agent on our tools whose context cannot overflow. */
import { continuePrompts, formatCallLine, formatRunSummary, systemPrompt } from "../../../answer/runner-texts.ts";
import { SpillwayError } from "../../../errors.ts";
import { createCleaner } from "../../../extract/clean.ts";
import { findTarget } from "../../../models/providers.ts";
import { openSession, type Session } from "../../../session/session.ts";
import { builtInTools, listOffered } from "../../../tools/tools.ts";
import { findPendingCalls } from "../../runner/repair-history.ts";
import type { OnRunEvent, RunEvent } from "../../runner/run-events.ts";
import { classifyEnding } from "../../runner/run-report.ts";
import { beginTranscript, type MessageLine, resumeTranscript, type Transcript } from "../../runner/transcript.ts";
import { checkArguments } from "../arguments.ts";
import type { Call, Command, ExitCode } from "../command.ts";
import { readText } from "../options.ts";
import { toJsonLine } from "../output.ts";

export const runCommand: Command = {
  usage: 'run "<task>"',
  examples: [
    ["run 'summarise report.pdf' --model anthropic:claude-sonnet-4-5", "an agent with all tools"],
    ["run --resume", "continue the last run"],
  ],
  about:
    "Runs an agent on a task, with a model and all tools, and prints its answer. What it reads cannot overflow its context.",
  options: {
    model: {
      type: "string",
      value: "PROVIDER:MODEL",
      about: "openai:..., anthropic:..., google:..., ollama:..., or one of your endpoints (setting runner.endpoints).",
    },
    resume: {
      type: "string",
      value: "RUN",
      bare: "last",
      about: 'Continue a run; "last" or no name means the last one. A new task is optional.',
    },
  },
  details: [
    "The model's text goes to standard output, tool calls and the summary to standard error. After Ctrl-C, --resume",
    "continues from the transcript. Keys come from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY,",
    "GOOGLE_GENERATIVE_AI_API_KEY. Limits: settings runner.steps, runner.tokens, runner.time. See docs/runner.md.",
  ].join("\n"),
  async run(call) {
    checkArguments(1, call);
    const { settings, transcriptFolder, run } = await call.session();
    const task = call.args[0]?.trim() ? call.args[0] : undefined;
    const transcripts = { folder: transcriptFolder, maxTranscripts: settings["runner.transcripts"] };
    const resumeName = readText(call, "resume");
    const modelOption = readText(call, "model");
    const resolveTarget = (model: string) => findTarget(model, settings, call.terminal.env);
    const beginRun = async () => {
      const [newTask, model] = [requireTask(task), requireModel(modelOption ?? settings["runner.model"])];
      resolveTarget(model); // Reports an unusable model before anything is written.
      return beginTranscript(transcripts, makeHead(call, run, model), taskLine(newTask));
    };
    await using transcript =
      resumeName === undefined
        ? await beginRun()
        : await resumeTranscript(transcripts, resumeName === "last" ? undefined : resumeName);
    const { head } = transcript;
    const target = resolveTarget(modelOption ?? head.model);
    if (resumeName !== undefined) await addTask(transcript, task);
    const sessionOptions = { cwd: head.cwd, env: call.terminal.env, signal: call.signal, confined: true };
    await using session = await openSession({ ...sessionOptions, settings: { ...settings, run: head.run } });
    return await runTask(call, session, transcript, target, resumeName !== undefined);
  },
};

async function runTask(
  call: Call,
  session: Session,
  transcript: Transcript,
  target: ReturnType<typeof findTarget>,
  isResumed: boolean,
): Promise<ExitCode> {
  const [{ runAgent }, { openServiceFetch }] = await Promise.all([
    import("../../runner/agent-loop.ts"),
    import("../../../acquire/http/transport/service-fetch.ts"),
  ]);
  await using service = openServiceFetch({ settings: session.settings, env: call.terminal.env });
  const onEvent = call.json ? printJson(call) : printText(call);
  const model = `${target.provider}:${target.model}`;
  await onEvent({ type: "run", run: transcript.head.run, model, resumed: isResumed, transcript: transcript.path });
  const options = {
    target,
    session,
    transcript,
    tools: listOffered(builtInTools, session),
    onEvent,
    fetch: service.fetch,
  };
  const { how: ending } = await runAgent(options);
  call.signal.throwIfAborted();
  return ending === "answered" ? 0 : 1;
}

function makeHead({ terminal: { cwd } }: Call, run: string, model: string) {
  const started_at = new Date().toISOString();
  return { type: "run", version: 1, run, model, system: systemPrompt(cwd), cwd, started_at } as const;
}

/** Adds what the model is asked next. An answered run needs a new task; a cut or empty answer is continued. */
async function addTask(
  { lastMessage: { message, finish = "stop" }, add }: Transcript,
  task: string | undefined,
): Promise<void> {
  if (task !== undefined) return add(taskLine(task));
  if (message.role !== "assistant" || findPendingCalls(message).length > 0) return;
  const ending = classifyEnding(message, finish);
  if (ending !== "answered") return add(taskLine(continuePrompts[ending]));
  throw new SpillwayError("usage", "This run has answered its task.", {
    hint: 'Add a task: spillway run --resume RUN "<task>".',
  });
}

function taskLine(content: string): MessageLine {
  return { type: "message", at: new Date().toISOString(), message: { role: "user", content } };
}

function requireTask(task: string | undefined): string {
  if (task !== undefined) return task;
  throw new SpillwayError("usage", "No task was given.", {
    hint: 'For example spillway run "What does report.pdf say about leaks?" --model openai:gpt-5.',
  });
}

function requireModel(model: string | null): string {
  if (model !== null) return model;
  throw new SpillwayError("usage", "No model was named.", {
    hint: "Add --model provider:model, for example --model anthropic:claude-sonnet-4-5, or set runner.model.",
  });
}

/** Prints one JSON object per line. The summary is printed after Ctrl-C too. */
function printJson({ terminal }: Call): OnRunEvent {
  return async (event) =>
    event.type === "summary" ? terminal.lastOut(toJsonLine(event)) : terminal.out(toJsonLine(event));
}

/** Prints the model's text on stdout as it arrives, without control characters; everything else goes to stderr. */
function printText({ terminal }: Call): OnRunEvent {
  let cleaner = createCleaner();
  let isMidLine = false;
  async function print(text: string): Promise<void> {
    if (text === "") return;
    isMidLine = !text.endsWith("\n");
    await terminal.out(text);
  }
  return async (event) => {
    if (event.type === "text") return print(cleaner.push(event.text));
    const heldText = cleaner.flush();
    cleaner = createCleaner();
    // The reader may be gone; the summary is still printed.
    await print(heldText)
      .then(() => (isMidLine ? print("\n") : undefined))
      .catch(() => undefined);
    isMidLine = false;
    terminal.note(formatEvent(event));
  };
}

function formatEvent(event: Exclude<RunEvent, { type: "text" }>): string {
  switch (event.type) {
    case "run":
      return `${event.model}, run ${event.run}${event.resumed ? ", resumed" : ""}\n`;
    case "tool":
      return `${formatCallLine(event.tool, event.input, event.chars, event.is_error)}\n`;
    case "retry":
      return `  the provider is busy (${event.reason}); retrying in ${(event.wait_ms / 1_000).toFixed(1)} s\n`;
    case "step":
      return "";
    case "summary":
      // A run that never started is reported by its error alone.
      if (event.steps === 0 && event.how === "failed") return "";
      return `\n${formatRunSummary(event, event.run, event.transcript)}`;
  }
}
