/** Carries out what a model called, all at once, with one budget for what comes back. */
import type { ModelMessage, ToolCallPart, ToolModelMessage, ToolResultPart } from "ai";
import { tooManyCalls } from "../../answer/runner.ts";
import { callTool } from "../../tools/call.ts";
import { type Fields, fieldNamed } from "../../tools/fields.ts";
import type { Tool, ToolSession } from "../../tools/tool.ts";
import { callsInTurn, openTurn } from "../../tools/turn.ts";
import { toolResult } from "./repair.ts";

export type Turn = {
  readonly tools: readonly Tool[];
  readonly session: ToolSession;
  readonly turnChars: number;
  /** Told of each call when its result is there. */
  onAnswered(call: ToolCallPart, text: string, isError: boolean): Promise<void>;
};

/** The results in the order of the calls. Throws only when the session's signal is aborted. */
export async function answerCalls(calls: readonly ToolCallPart[], turn: Turn): Promise<ToolModelMessage> {
  const most = callsInTurn(turn.turnChars);
  const session = { ...turn.session, turn: openTurn(turn.turnChars) };
  const content = await Promise.all(
    calls.map((call, index) => (index < most ? answerCall(call, turn, session) : refused(call, most, turn))),
  );
  return { role: "tool", content };
}

async function answerCall(call: ToolCallPart, turn: Turn, session: ToolSession): Promise<ToolResultPart> {
  const tool = turn.tools.find(({ name }) => name === call.toolName);
  if (tool === undefined) return answered(call, `There is no tool ${call.toolName}.`, true, turn);
  const { text, isError } = await callTool(tool, call.input, session);
  return answered(call, text, isError, turn);
}

const refused = (call: ToolCallPart, most: number, turn: Turn): Promise<ToolResultPart> =>
  answered(call, tooManyCalls(most), true, turn);

async function answered(call: ToolCallPart, text: string, isError: boolean, turn: Turn): Promise<ToolResultPart> {
  await turn.onAnswered(call, text, isError);
  return toolResult(call, text, isError);
}

/** The message without what is never stored, such as the password of a document. */
export function withoutSecrets(message: ModelMessage, tools: readonly Tool[]): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  const content = message.content.map((part) => {
    const fields = part.type === "tool-call" ? tools.find(({ name }) => name === part.toolName)?.input : undefined;
    return part.type === "tool-call" && fields ? { ...part, input: hidden(part.input, fields) } : part;
  });
  return { ...message, content };
}

/** What a call says, without its secrets, however they are spelled; a text that may hold one is not shown at all. */
export function hidden(input: unknown, fields: Fields): unknown {
  const isSecret = (name: string): boolean => fields[fieldNamed(fields, name) ?? ""]?.secret === true;
  if (typeof input === "string") return Object.keys(fields).some(isSecret) ? notStored : input;
  if (typeof input !== "object" || input === null) return input;
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, isSecret(name) ? notStored : value]));
}

const notStored = "(not stored)";
