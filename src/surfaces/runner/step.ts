/** One step: the model is asked once, its words are handed on as they come, and its answer is taken whole. */
import { jsonSchema, type ModelMessage, streamText, type ToolCallPart, type ToolSet } from "ai";
import { inputSchema } from "../../tools/fields.ts";
import type { Tool } from "../../tools/tool.ts";
import { providerOptions } from "./model.ts";
import { callsOf } from "./repair.ts";

// The SDK would write its warnings about models it does not know to standard error, between our lines.
globalThis.AI_SDK_LOG_WARNINGS = false;

export type Ask = {
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
  /** The model's message, and results for calls that could not even be read. */
  readonly messages: readonly ModelMessage[];
  /** What is left to be carried out. */
  readonly calls: readonly ToolCallPart[];
  /** The calls that could not even be read, with what the model is told of them. */
  readonly unreadable: readonly { readonly call: ToolCallPart; readonly text: string }[];
  readonly finish: string;
  readonly tokensIn: number | undefined;
  readonly tokensOut: number | undefined;
};

/** Thrown in place of what went wrong: whether anything had come before decides if the step may be asked again. */
export class StepFailure extends Error {
  readonly begun: boolean;

  constructor(begun: boolean, cause: unknown) {
    super("The step failed.", { cause });
    this.begun = begun;
  }
}

/** Asks once. The SDK neither tries again nor calls tools: the runner does both, and keeps count. */
export async function askModel({ model, system, messages, tools, signal, onText }: Ask): Promise<StepAnswer> {
  let begun = false;
  let finish = "other";
  let usage: { inputTokens: number | undefined; outputTokens: number | undefined } | undefined;
  try {
    const asked = streamText({
      model,
      instructions: system,
      messages: [...messages],
      tools: toolSet(tools),
      maxRetries: 0,
      abortSignal: signal,
      providerOptions,
      onError: () => undefined, // Errors come as parts of the stream too, and are thrown below.
    });
    for await (const part of asked.stream) {
      if (part.type === "error") throw part.error;
      if (part.type === "abort") signal.throwIfAborted();
      if (contentParts.has(part.type)) begun = true;
      if (part.type === "text-delta" && part.text !== "") await onText(part.text);
      if (part.type === "finish-step") ({ finishReason: finish, usage } = part);
    }
    signal.throwIfAborted();
    const answered = await asked.responseMessages;
    const tokens = { tokensIn: usage?.inputTokens, tokensOut: usage?.outputTokens };
    return { messages: answered, ...callsIn(answered), finish, ...tokens };
  } catch (error) {
    throw new StepFailure(begun, error);
  }
}

const contentParts: ReadonlySet<string> = new Set(["text-delta", "reasoning-delta", "tool-input-start", "tool-call"]);

/** Only shown to the model: what it sends is read with good will by callTool. */
function toolSet(tools: readonly Tool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, about, input }) => [name, { description: about, inputSchema: jsonSchema(inputSchema(input)) }]),
  );
}

function callsIn(messages: readonly ModelMessage[]): Pick<StepAnswer, "calls" | "unreadable"> {
  const results = messages.flatMap((message) => (message.role === "tool" ? message.content : []));
  const answered = new Map(
    results.flatMap((part) => (part.type === "tool-result" ? [[part.toolCallId, part.output] as const] : [])),
  );
  const all = messages.flatMap((message) => (message.role === "assistant" ? callsOf(message) : []));
  return {
    calls: all.filter(({ toolCallId }) => !answered.has(toolCallId)),
    unreadable: all.flatMap((call) => {
      const output = answered.get(call.toolCallId);
      return output === undefined ? [] : [{ call, text: "value" in output ? String(output.value) : "" }];
    }),
  };
}
