/** Carries out what a model called, all at once, with one budget for what comes back. */
import type { ModelMessage, ToolCallPart, ToolModelMessage, ToolResultPart } from "ai";
import { unknownTool, unreadableCall } from "../../answer/runner-texts.ts";
import { callTool } from "../../tools/call-tool.ts";
import { type Fields, fieldNamed } from "../../tools/parameters.ts";
import type { Tool, ToolSession } from "../../tools/tool.ts";
import { openTurn } from "../../tools/turn-budget.ts";
import { makeToolResult } from "./repair-history.ts";

/** A call of a model, which may have been too garbled to be read. */
export type ToolCall = ToolCallPart & { readonly unreadable?: true };

export type AnswerOptions = {
  readonly tools: readonly Tool[];
  readonly session: ToolSession;
  readonly turnChars: number;
  /** Told of each call when its result is there. */
  onAnswered(call: ToolCall, text: string, isError: boolean): Promise<void>;
};

/** The results in the order of the calls. Throws only when the session's signal is aborted. */
export async function answerCalls(calls: readonly ToolCall[], options: AnswerOptions): Promise<ToolModelMessage> {
  const session = { ...options.session, turn: openTurn(options.turnChars) };
  return { role: "tool", content: await Promise.all(calls.map((call) => answerCall(call, { ...options, session }))) };
}

async function answerCall(call: ToolCall, { tools, session, onAnswered }: AnswerOptions): Promise<ToolResultPart> {
  const tool = tools.find(({ name }) => name === call.toolName);
  const refusal =
    tool === undefined
      ? unknownTool(
          call.toolName,
          tools.map(({ name }) => name),
        )
      : unreadableCall;
  const isReadable = tool !== undefined && !call.unreadable;
  const { text, isError } = isReadable ? await callTool(tool, call.input, session) : refuseCall(refusal, session);
  await onAnswered(call, text, isError);
  return makeToolResult(call, text, isError);
}

/** What is said without a tool takes its room in the turn as well. */
function refuseCall(text: string, { turn }: ToolSession): { text: string; isError: boolean } {
  turn?.join();
  turn?.spend(text.length);
  return { text, isError: true };
}

/** The message without what is never stored, such as the password of a document. */
export function removeSecrets(message: ModelMessage, tools: readonly Tool[]): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  const content = message.content.map((part) =>
    part.type === "tool-call" ? { ...part, input: hideSecrets(part.input, findParameters(part, tools)) } : part,
  );
  return { ...message, content };
}

/** The parameters of the tool that is called, if there is one. */
export function findParameters({ toolName }: ToolCallPart, tools: readonly Tool[]): Fields | undefined {
  return tools.find(({ name }) => name === toolName)?.input;
}

/**
 * What a call says, without its secrets, however they are spelled. Where one may be anywhere (a text, a list, a
 * parameter that is not known, a tool that is not known), nothing of it is shown.
 */
export function hideSecrets(input: unknown, fields: Fields | undefined): unknown {
  if (fields !== undefined && !Object.values(fields).some(({ secret }) => secret)) return input;
  if (fields === undefined || typeof input === "string" || Array.isArray(input))
    return isEmpty(input) ? input : hiddenValue;
  if (typeof input !== "object" || input === null) return input;
  const isShown = (name: string): boolean => {
    const field = fields[fieldNamed(fields, name) ?? ""];
    return field !== undefined && !field.secret;
  };
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, isShown(name) ? value : hiddenValue]));
}

const isEmpty = (input: unknown): boolean => input === undefined || input === null || Object.keys(input).length === 0;

const hiddenValue = "(not stored)";
