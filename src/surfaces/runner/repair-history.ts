/** Repairs stored history before it is sent: providers refuse a call without a result. The history itself is not changed. */
import type { AssistantModelMessage, ModelMessage, ToolCallPart, ToolModelMessage, ToolResultPart } from "ai";
import { INTERRUPTED_CALL_RESULT } from "../../answer/runner-texts.ts";

/** The messages with a result for every call, and without empty answers. */
export function repairHistory(messages: readonly ModelMessage[]): ModelMessage[] {
  const repaired: ModelMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant" && message.content.length === 0) continue;
    if (message.role !== "assistant") {
      repaired.push(message);
      continue;
    }
    repaired.push(withObjectInputs(message));
    const answeredIds = findAnsweredIds(messages, index);
    const missing = findPendingCalls(message).filter(({ toolCallId }) => !answeredIds.has(toolCallId));
    if (missing.length > 0) repaired.push(makeInterruptedResults(missing));
  }
  return repaired;
}

/** Most providers refuse arguments that are not an object. A model may have sent them, or hiding a secret replaced them. */
function withObjectInputs(message: AssistantModelMessage): AssistantModelMessage {
  const { content } = message;
  if (typeof content === "string") return message;
  const parts = content.map((part) =>
    part.type === "tool-call" && !isObject(part.input) ? { ...part, input: parseObject(part.input) } : part,
  );
  return { ...message, content: parts };
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Some models send their arguments as JSON in a string. */
function parseObject(input: unknown): object {
  try {
    const value: unknown = JSON.parse(String(input));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The calls of an answer that the runner has to run. */
export function findPendingCalls({ content }: AssistantModelMessage): ToolCallPart[] {
  if (typeof content === "string") return [];
  const executedIds = new Set(content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])));
  return content.flatMap((part) =>
    part.type === "tool-call" && !part.providerExecuted && !executedIds.has(part.toolCallId) ? [part] : [],
  );
}

/** The ids answered by the results that directly follow. Some servers use the same ids in every turn. */
function findAnsweredIds(messages: readonly ModelMessage[], index: number): ReadonlySet<string> {
  const answeredIds = new Set<string>();
  for (const message of messages.slice(index + 1)) {
    if (message.role !== "tool") break;
    for (const part of message.content) if (part.type === "tool-result") answeredIds.add(part.toolCallId);
  }
  return answeredIds;
}

function makeInterruptedResults(calls: readonly ToolCallPart[]): ToolModelMessage {
  return { role: "tool", content: calls.map((call) => makeToolResult(call, INTERRUPTED_CALL_RESULT, true)) };
}

/** Makes a tool result as it is stored and sent. */
export function makeToolResult({ toolCallId, toolName }: ToolCallPart, text: string, isError: boolean): ToolResultPart {
  const output = { type: isError ? ("error-text" as const) : ("text" as const), value: text };
  return { type: "tool-result", toolCallId, toolName, output };
}
