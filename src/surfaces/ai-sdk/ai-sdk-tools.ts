/** The tools for a loop on the AI SDK: `generateText({ model, tools: tools({ session }), ... })`. */
import { defaultSettings } from "../../config/settings.ts";
import { openSession, type Session } from "../../session/session.ts";
import { callTool, type ToolReply } from "../../tools/call-tool.ts";
import { inputSchema, type JsonSchema } from "../../tools/parameters.ts";
import type { Tool } from "../../tools/tool.ts";
import { listOffered, mergeTools } from "../../tools/tools.ts";
import { openTurn, type TurnBudget } from "../../tools/turn-budget.ts";

/** Options of `tools`. */
export type ToolsOptions = {
  /** The session whose store, settings and log are used. Default: a new one that reads only below the working directory. */
  readonly session?: Session;
  /** Tools of your own, beside the built-in ones; `spillway/testing` has their contract as tests. */
  readonly tools?: readonly Tool[];
  /** How many characters the results of one step may have together. Default: the setting runner.turn_chars. */
  readonly turnChars?: number;
};

/** What the SDK passes with a call. */
export type CallOptions = { readonly abortSignal?: AbortSignal | undefined; readonly messages?: readonly unknown[] };

/** A schema that shows the parameters and accepts any input, because callTool accepts lenient input. */
export type OpenSchema = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "spillway";
    validate(value: unknown): { readonly value: unknown };
    readonly jsonSchema: { input(): Record<string, unknown>; output(): Record<string, unknown> };
  };
};

/** A tool in the form of the AI SDK; the SDK's own types accept it. */
export type AiSdkTool = {
  readonly description: string;
  readonly inputSchema: OpenSchema;
  execute(input: unknown, options: CallOptions): Promise<ToolReply>;
  toModelOutput(answer: { readonly output: ToolReply }): {
    readonly type: "text" | "error-text";
    readonly value: string;
  };
};

/**
 * All tools by name that can work here: those for the web need a provider, in the session's settings or environment. The results of one step share one budget; the model reads their text.
 */
export function tools(options: ToolsOptions = {}): Record<string, AiSdkTool> {
  let openedSession: Promise<Session> | undefined;
  const turns = new WeakMap<object, TurnBudget>();

  /** Finds the turn of a call: calls of one step have the same messages array. */
  function findTurn(messages: readonly unknown[] | undefined, { settings }: Session): TurnBudget {
    const existing = messages && turns.get(messages);
    if (existing) return existing;
    const turn = openTurn(options.turnChars ?? settings["runner.turn_chars"]);
    if (messages) turns.set(messages, turn);
    return turn;
  }

  async function execute(tool: Tool, input: unknown, { abortSignal, messages }: CallOptions): Promise<ToolReply> {
    openedSession ??= options.session ? Promise.resolve(options.session) : openSession({ confined: true });
    const session = await openedSession;
    const signal = abortSignal ? AbortSignal.any([session.signal, abortSignal]) : session.signal;
    return callTool(tool, input, { ...session, signal, turn: findTurn(messages, session) });
  }

  return Object.fromEntries(
    listOffered(mergeTools(options.tools), options.session ?? { settings: defaultSettings, env: process.env }).map(
      (tool) => [
        tool.name,
        {
          description: tool.about,
          inputSchema: openSchema(inputSchema(tool.input)),
          execute: (input: unknown, call: CallOptions) => execute(tool, input, call),
          toModelOutput: ({ output: { text, isError } }: { readonly output: ToolReply }) => ({
            type: isError ? ("error-text" as const) : ("text" as const),
            value: text,
          }),
        },
      ],
    ),
  );
}

function openSchema(schema: JsonSchema): OpenSchema {
  const toJsonSchema = () => ({ ...schema });
  const validate = (value: unknown) => ({ value });
  return {
    "~standard": {
      version: 1,
      vendor: "spillway",
      validate,
      jsonSchema: { input: toJsonSchema, output: toJsonSchema },
    },
  };
}
