/** One step: asks the model once, streams its text, and returns its complete answer. */
import {
  type AssistantModelMessage,
  jsonSchema,
  type ModelMessage,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from "ai";
import { providerOptions } from "../../models/load-model.ts";
import { inputSchema } from "../../tools/parameters.ts";
import type { Tool } from "../../tools/tool.ts";
import { findPendingCalls } from "./repair-history.ts";
import type { ToolCall } from "./tool-calls.ts";

// Otherwise the SDK prints warnings about unknown models to standard error, between our lines.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Options of one step. */
type StepOptions = {
  readonly model: Parameters<typeof streamText>[0]["model"];
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /** Called with the text as it arrives. The step waits for it. */
  onText(text: string): Promise<void>;
};

/** A complete answer. */
export type StepAnswer = {
  /** Undefined if the model sent nothing at all. */
  readonly message: AssistantModelMessage | undefined;
  /** The calls that the runner has to run. */
  readonly calls: readonly ToolCall[];
  readonly finish: string;
  readonly tokensIn: number | undefined;
  readonly tokensOut: number | undefined;
};

/** Wraps the error of a step. `hasStarted` means that content had arrived, so the step must not be retried. */
export class StepFailure extends Error {
  readonly hasStarted: boolean;

  constructor(hasStarted: boolean, cause: unknown) {
    super("The step failed.", { cause });
    this.hasStarted = hasStarted;
  }
}

/** Asks once. The SDK neither retries nor calls tools: the runner does both, and counts them. */
export async function runModelStep({
  model,
  system,
  messages,
  tools,
  signal,
  onText,
}: StepOptions): Promise<StepAnswer> {
  let hasStarted = false;
  let finishPart: Extract<TextStreamPart<ToolSet>, { type: "finish-step" }> | undefined;
  const unreadableIds = new Set<string>();
  try {
    const response = streamText({
      model,
      instructions: system,
      messages: [...messages],
      tools: toToolSet(tools),
      maxRetries: 0,
      abortSignal: signal,
      providerOptions,
      onError: () => undefined, // Errors also arrive as parts of the stream, and are thrown below.
    });
    for await (const part of response.stream) {
      if (part.type === "error") throw part.error;
      if (part.type === "abort") signal.throwIfAborted();
      if (contentPartTypes.has(part.type)) hasStarted = true;
      if (part.type === "text-delta" && part.text !== "") await onText(part.text);
      if (part.type === "tool-call" && part.invalid && typeof part.input === "string")
        unreadableIds.add(part.toolCallId);
      if (part.type === "finish-step") finishPart = part;
    }
    signal.throwIfAborted();
    if (finishPart === undefined || isIncomplete(finishPart))
      throw new Error("the answer ended without a finish reason");
    const { finishReason: finish, usage } = finishPart;
    // The SDK's own results for unreadable calls are dropped: the runner answers every call.
    const message = (await response.responseMessages).find(({ role }) => role === "assistant");
    const calls = message?.role === "assistant" ? findPendingCalls(message) : [];
    return {
      message: message?.role === "assistant" ? message : undefined,
      calls: calls.map((call) => (unreadableIds.has(call.toolCallId) ? { ...call, unreadable: true } : call)),
      finish,
      tokensIn: usage.inputTokens,
      tokensOut: usage.outputTokens,
    };
  } catch (error) {
    throw new StepFailure(hasStarted, error);
  }
}

const contentPartTypes: ReadonlySet<string> = new Set([
  "text-delta",
  "reasoning-delta",
  "tool-input-start",
  "tool-call",
]);

/** A stream that ends without a finish reason was interrupted; the SDK reports a reason of its own for it. */
const isIncomplete = ({
  finishReason,
  rawFinishReason,
}: {
  finishReason: string;
  rawFinishReason: string | undefined;
}) => rawFinishReason === undefined && !["stop", "length", "content-filter", "tool-calls"].includes(finishReason);

/** The tools as the model sees them. The SDK does not run them: callTool does, with lenient input. */
function toToolSet(tools: readonly Tool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, about, input }) => [name, { description: about, inputSchema: jsonSchema(inputSchema(input)) }]),
  );
}
