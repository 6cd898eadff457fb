/** One step: the model is asked once, its words are handed on as they come, and its answer is taken whole. */
import {
  type AssistantModelMessage,
  jsonSchema,
  type ModelMessage,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from "ai";
import { inputSchema } from "../../tools/parameters.ts";
import type { Tool } from "../../tools/tool.ts";
import { providerOptions } from "./load-model.ts";
import { findPendingCalls } from "./repair-history.ts";
import type { ToolCall } from "./tool-calls.ts";

// The SDK would write its warnings about models it does not know to standard error, between our lines.
globalThis.AI_SDK_LOG_WARNINGS = false;

export type StepOptions = {
  readonly model: Parameters<typeof streamText>[0]["model"];
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /** Told the words as they come; it is waited for. */
  onText(text: string): Promise<void>;
};

/** A whole answer. */
export type StepAnswer = {
  /** Undefined where the model said nothing at all. */
  readonly message: AssistantModelMessage | undefined;
  /** What is left to be carried out. */
  readonly calls: readonly ToolCall[];
  readonly finish: string;
  readonly tokensIn: number | undefined;
  readonly tokensOut: number | undefined;
};

/** Thrown in place of what went wrong: whether anything had come before decides if the step may be asked again. */
export class StepFailure extends Error {
  readonly hasStarted: boolean;

  constructor(hasStarted: boolean, cause: unknown) {
    super("The step failed.", { cause });
    this.hasStarted = hasStarted;
  }
}

/** Asks once. The SDK neither tries again nor calls tools: the runner does both, and keeps count. */
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
      onError: () => undefined, // Errors come as parts of the stream too, and are thrown below.
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
    // What the SDK itself answered to calls it could not read is left out: the runner answers every call.
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

/** Providers whose stream just ends are said to have been interrupted, or to have ended for another reason than any they name. */
const isIncomplete = ({
  finishReason,
  rawFinishReason,
}: {
  finishReason: string;
  rawFinishReason: string | undefined;
}) => rawFinishReason === undefined && !["stop", "length", "content-filter", "tool-calls"].includes(finishReason);

/** Only shown to the model: what it sends is read with good will by callTool. */
function toToolSet(tools: readonly Tool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, about, input }) => [name, { description: about, inputSchema: jsonSchema(inputSchema(input)) }]),
  );
}
