/**
 * The contract of a simulator: the provider of one dialect, as tests play it. It writes conversations as that provider's
 * clients do, and refuses malformed requests as strictly as the provider does. Its knowledge of the format is written a
 * second time: it shares nothing but types and JSON helpers with the dialect that it judges.
 */
import { createHash } from "node:crypto";
import { peekMember } from "../../system/json-edits.ts";
import type { Dialect, RequestBody } from "./dialect.ts";

/** A format that tests can write and check. Add each one to `simulators.ts`. */
export interface Simulator {
  /** The dialect that is tested with this simulator. */
  readonly dialect: Dialect;
  /** Whether input and output share one window. */
  readonly sharesWindow: boolean;
  /** Writes a conversation as a request. It offers the tools of `offeredTools` and asks for `outputTokens`. */
  writeRequest(conversation: Conversation): RequestBody;
  /** The output that a request asks for, in tokens; 0 where it does not say. */
  countOutput(request: RequestBody): number;
  /** What a strict provider finds wrong with a request, or undefined. */
  findFault(request: RequestBody): string | undefined;
}

/** A format that is posted to a provider. */
export interface HttpSimulator extends Simulator {
  /** The paths that the provider serves, for whole answers and for streams. */
  readonly path: RegExp;
  /** Where a client posts a request for a whole answer. */
  readonly address: string;
  /** Where and with which additional fields a client posts a request for a stream. */
  readonly stream: { readonly address: string; readonly fields: RequestBody };
  /** Whether a request asks for a stream. */
  asksForStream(pathname: string, json: string): boolean;
  /** How the provider words the refusal of a request that is over the window. */
  readonly refuse: RefusalWording;
  /** A whole answer with the text `done`, as complete as client libraries need it. */
  readonly wholeAnswer: object;
  /** Writes an answer as the chunks of a stream; ids are made from `turn`. */
  writeStream(answer: ScriptedAnswer, usage: SimulatedUsage, turn: number): string[];
}

/** A tool's result: text, text blocks, a picture as base64, or an error. */
export type ToolResult = { readonly text: string; readonly form: "text" | "blocks" | "picture" | "error" };

/** A call of a tool; `writes` is a text that the model gave to it, such as the content of a file. */
export type ToolCall = { readonly tool: string; readonly writes?: string; readonly result: ToolResult };

/** A message of the user and what the model did about it. */
export type Turn = {
  readonly user: string;
  readonly attachment?: { readonly mediaType: string; readonly base64: string };
  /** Rounds of calls that the model made before it answered; calls of one round are parallel. */
  readonly rounds: readonly (readonly ToolCall[])[];
  /** Undefined while the model has not answered: the newest exchange is open. */
  readonly answer?: string;
};

/** A conversation in no particular format. */
export type Conversation = { readonly system: string; readonly turns: readonly Turn[]; readonly outputTokens: number };

/** A call that a scripted model makes; `garbled` replaces the arguments with text that is not valid JSON. */
export type ScriptedCall = {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly garbled?: string;
};

/** One answer of a scripted model: text, calls, or both. It may reach the output limit, or break off. */
export type ScriptedAnswer = {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly ends?: "cut" | "in the middle";
  /** Some servers do not count tokens. */
  readonly uncounted?: boolean;
};

/** The tokens that an answer reports. */
export type SimulatedUsage = { readonly input: number; readonly output: number };

/** The sizes that a refusal may name. */
export type SimulatedSizes = { readonly limit: number; readonly input: number; readonly output: number };

/** Words a refusal. */
export type RefusalWording = (sizes: SimulatedSizes) => { readonly status: number; readonly body: string };

/** The model that every simulator serves. */
export const simulatedModel = "sim-1";

/** The tools that every written request offers. */
export const offeredTools = ["shell", "fetch_page", "read_artifact"];

/** The parameters of each of them. */
export const toolSchema = { type: "object", properties: { command: { type: "string" } } };

/** Signs a thought as providers do. A simulator refuses a thought whose signature does not match. */
export function sign(text: string): string {
  return createHash("sha256").update(`signed:${text}`).digest("base64");
}

/** A call with the id and the arguments that a model would have given it. */
export type NumberedCall = ToolCall & {
  readonly id: string;
  readonly args: { readonly command: string; readonly content?: string };
};

/** A turn whose calls are numbered. */
export type NumberedTurn = Omit<Turn, "rounds"> & { readonly rounds: readonly (readonly NumberedCall[])[] };

/** The turns with an id and arguments for every call. */
export function numberCalls({ turns }: Conversation): NumberedTurn[] {
  return turns.map((turn, turnIndex) => ({
    ...turn,
    rounds: turn.rounds.map((round, roundIndex) =>
      round.map((call, callIndex) => ({
        ...call,
        id: `call_${turnIndex}_${roundIndex}_${callIndex}`,
        args: {
          command: `step ${roundIndex}.${callIndex}`,
          ...(call.writes === undefined ? {} : { content: call.writes }),
        },
      })),
    ),
  }));
}

/** Whether a string is a JSON object, as the arguments of a call have to be. */
export function isJsonObject(json: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(json));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** A text in two halves, split between code points; an empty half is left out. */
export function splitInHalf(text: string): string[] {
  const characters = [...text];
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle).join(""), characters.slice(middle).join("")].filter((half) => half !== "");
}

/** A text in the pieces in which it is streamed. */
export function splitForStream(text: string): string[] {
  return text.match(/[\s\S]{1,40}/g) ?? [];
}

/** The name and the arguments of a scripted call, as OpenAI's formats write them. */
export function writeFunctionCall({ tool, input, garbled }: ScriptedCall): { name: string; arguments: string } {
  return { name: tool, arguments: garbled ?? JSON.stringify(input) };
}

/** A server-sent event that holds a value as JSON. */
export function writeEvent(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** An error response in the usual form, `{"error": {...}}`. */
export function writeError(status: number, error: object): { readonly status: number; readonly body: string } {
  return { status, body: JSON.stringify({ error }) };
}

/** The body of an error response as an event of a stream, as most providers send it. */
export function writeErrorEvent(body: string): string {
  return `event: error\n${writeEvent({ type: "error", ...errorFields(body) })}`;
}

function errorFields(body: string): object {
  try {
    return JSON.parse(body);
  } catch {
    return { error: { message: body } };
  }
}

/** Whether a body asks for a stream. */
export function hasStreamField(json: string): boolean {
  return peekMember(json, "stream") === true;
}

/** A data URL of base64. */
export function toDataUrl(mediaType: string, base64: string): string {
  return `data:${mediaType};base64,${base64}`;
}
