/** Runs the tool calls of a model in parallel, with one budget for all results. */
import type { ModelMessage, ToolCallPart, ToolModelMessage, ToolResultPart } from "ai";
import { makeUnknownToolResult, UNREADABLE_CALL_RESULT } from "../../answer/runner-texts.ts";
import { callTool } from "../../tools/call-tool.ts";
import { type Fields, findFieldName } from "../../tools/parameters.ts";
import type { Tool, ToolSession } from "../../tools/tool.ts";
import { openTurn } from "../../tools/turn-budget.ts";
import { makeToolResult } from "./repair-history.ts";

/** A tool call of a model. `unreadable` if its arguments are not JSON. */
export type ToolCall = ToolCallPart & { readonly unreadable?: true };

/** Options of `answerCalls`. */
type AnswerOptions = {
  readonly tools: readonly Tool[];
  readonly session: ToolSession;
  readonly turnChars: number;
  /** Called with each result as it arrives. */
  onAnswered(call: ToolCall, text: string, isError: boolean): Promise<void>;
};

/** Runs the calls and returns the results in their order. Throws only when the session's signal is aborted. */
export async function answerCalls(calls: readonly ToolCall[], options: AnswerOptions): Promise<ToolModelMessage> {
  const session = { ...options.session, turn: openTurn(options.turnChars) };
  return { role: "tool", content: await Promise.all(calls.map((call) => answerCall(call, { ...options, session }))) };
}

async function answerCall(call: ToolCall, { tools, session, onAnswered }: AnswerOptions): Promise<ToolResultPart> {
  const tool = tools.find(({ name }) => name === call.toolName);
  const refusal =
    tool === undefined
      ? makeUnknownToolResult(
          call.toolName,
          tools.map(({ name }) => name),
        )
      : UNREADABLE_CALL_RESULT;
  const isReadable = tool !== undefined && !call.unreadable;
  const { text, isError } = isReadable ? await callTool(tool, call.input, session) : refuseCall(refusal, session);
  await onAnswered(call, text, isError);
  return makeToolResult(call, text, isError);
}

/** A refusal without a tool also spends the budget of the turn. */
function refuseCall(text: string, { turn }: ToolSession): { text: string; isError: boolean } {
  turn?.join();
  turn?.spend(text.length);
  return { text, isError: true };
}

/** The message without values that are never stored, such as the password of a document. */
export function removeSecrets(message: ModelMessage, tools: readonly Tool[]): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  const content = message.content.map((part) =>
    part.type === "tool-call" ? { ...part, input: hideSecrets(part.input, findParameters(part, tools)) } : part,
  );
  return { ...message, content };
}

/** The parameters of the called tool; undefined if the tool is unknown. */
export function findParameters({ toolName }: ToolCallPart, tools: readonly Tool[]): Fields | undefined {
  return tools.find(({ name }) => name === toolName)?.input;
}

/**
 * The input of a call without its secrets, however their names are spelled. Where a secret could be anywhere (in a
 * text, a list, an unknown parameter, or a call to an unknown tool), the whole value is hidden.
 */
export function hideSecrets(input: unknown, fields: Fields | undefined): unknown {
  if (fields !== undefined && !Object.values(fields).some(({ secret }) => secret)) return input;
  if (fields === undefined || typeof input === "string" || Array.isArray(input))
    return isEmpty(input) ? input : hiddenValue;
  if (typeof input !== "object" || input === null) return input;
  const isShown = (name: string): boolean => {
    const field = fields[findFieldName(fields, name) ?? ""];
    return field !== undefined && !field.secret;
  };
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, isShown(name) ? value : hiddenValue]));
}

const isEmpty = (input: unknown): boolean => input === undefined || input === null || Object.keys(input).length === 0;

const hiddenValue = "(not stored)";
