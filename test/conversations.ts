/** Conversations for tests: made once in plain words, then written in every dialect the way its clients write it. */
import { createHash } from "node:crypto";
import type { Dialect, Request } from "../src/overflow/dialects/dialect.ts";

/** A tool's answer: text, text blocks, a picture, or an error. */
export type Result = { readonly text: string; readonly form: "text" | "blocks" | "picture" | "error" };

export type Turn = {
  readonly user: string;
  readonly attachment?: { readonly mediaType: string; readonly base64: string };
  /** Rounds of calls the model made before it answered; calls of one round are parallel. */
  readonly rounds: readonly (readonly { readonly tool: string; readonly result: Result }[])[];
  /** Undefined while the model has not answered: the newest exchange is open. */
  readonly answer?: string;
};

export type Conversation = { readonly system: string; readonly turns: readonly Turn[]; readonly outputTokens: number };

/** What the providers sign: the simulator checks it like they do. */
export const signatureOf = (text: string): string => createHash("sha256").update(`signed:${text}`).digest("base64");

const toolNames = ["shell", "fetch_page", "read_artifact"];
const schema = { type: "object", properties: { command: { type: "string" } } };

type Writer = (conversation: Conversation) => Request;

/** The conversation as a request in a dialect. */
export function requestIn(dialect: Dialect["name"], conversation: Conversation): Request {
  return writers[dialect](conversation);
}

const callsOf = (conversation: Conversation) =>
  conversation.turns.map((turn, at) => ({
    ...turn,
    rounds: turn.rounds.map((round, number) =>
      round.map((call, index) => ({
        ...call,
        id: `call_${at}_${number}_${index}`,
        args: { command: `step ${number}.${index}` },
      })),
    ),
  }));

type Calls = ReturnType<typeof callsOf>[number]["rounds"][number];

const pictureUrl = (base64: string): string => `data:image/png;base64,${base64}`;

const writers: Readonly<Record<Dialect["name"], Writer>> = {
  "openai-chat": (conversation) => ({
    model: "sim-1",
    messages: [
      { role: "system", content: conversation.system },
      ...callsOf(conversation).flatMap(({ user, attachment, rounds, answer }) => [
        {
          role: "user",
          content: attachment
            ? [
                { type: "text", text: user },
                { type: "image_url", image_url: { url: `data:${attachment.mediaType};base64,${attachment.base64}` } },
              ]
            : user,
        },
        ...rounds.flatMap((round) => [
          {
            role: "assistant",
            content: null,
            tool_calls: round.map(({ id, tool, args }) => ({
              id,
              type: "function",
              function: { name: tool, arguments: JSON.stringify(args) },
            })),
          },
          ...round.map(({ id, result }) => ({
            role: "tool",
            tool_call_id: id,
            content:
              result.form === "blocks" ? halves(result.text).map((text) => ({ type: "text", text })) : result.text,
          })),
        ]),
        ...(answer === undefined ? [] : [{ role: "assistant", content: answer }]),
      ]),
    ],
    tools: toolNames.map((name) => ({ type: "function", function: { name, parameters: schema } })),
    max_completion_tokens: conversation.outputTokens,
    temperature: 1.0,
  }),
  "openai-responses": (conversation) => ({
    model: "sim-1",
    instructions: conversation.system,
    input: callsOf(conversation).flatMap(({ user, attachment, rounds, answer }, at) => [
      {
        role: "user",
        content: [
          { type: "input_text", text: user },
          ...(attachment
            ? [{ type: "input_image", image_url: `data:${attachment.mediaType};base64,${attachment.base64}` }]
            : []),
        ],
      },
      ...rounds.flatMap((round, number) => [
        { type: "reasoning", id: `rs_${at}_${number}`, summary: [], encrypted_content: signatureOf(`${at}.${number}`) },
        ...round.map(({ id, tool, args }) => ({
          type: "function_call",
          id: `fc_${id}`,
          call_id: id,
          name: tool,
          arguments: JSON.stringify(args),
        })),
        ...round.map(({ id, result }) => ({
          type: "function_call_output",
          call_id: id,
          output:
            result.form === "blocks"
              ? halves(result.text).map((text) => ({ type: "input_text", text }))
              : result.form === "picture"
                ? [{ type: "input_image", image_url: pictureUrl(result.text) }]
                : result.text,
        })),
      ]),
      ...(answer === undefined ? [] : [{ role: "assistant", content: [{ type: "output_text", text: answer }] }]),
    ]),
    tools: toolNames.map((name) => ({ type: "function", name, parameters: schema })),
    max_output_tokens: conversation.outputTokens,
    store: false,
  }),
  "anthropic-messages": (conversation) => ({
    model: "sim-1",
    system: [{ type: "text", text: conversation.system, cache_control: { type: "ephemeral" } }],
    messages: mergeUsers(
      callsOf(conversation).flatMap(({ user, attachment, rounds, answer }, at) => [
        {
          role: "user",
          content: [
            ...(attachment
              ? [
                  {
                    type: "image",
                    source: { type: "base64", media_type: attachment.mediaType, data: attachment.base64 },
                  },
                ]
              : []),
            { type: "text", text: user, ...(at === 0 ? { cache_control: { type: "ephemeral" } } : {}) },
          ],
        },
        ...rounds.flatMap((round, number) => [
          {
            role: "assistant",
            content: [
              {
                type: "thinking",
                thinking: `Thought ${at}.${number}`,
                signature: signatureOf(`Thought ${at}.${number}`),
              },
              ...round.map(({ id, tool, args }) => ({ type: "tool_use", id, name: tool, input: args })),
            ],
          },
          {
            role: "user",
            content: round.map((call, index) => anthropicResult(call, at === 1 && number === 0 && index === 0)),
          },
        ]),
        ...(answer === undefined ? [] : [{ role: "assistant", content: [{ type: "text", text: answer }] }]),
      ]),
    ),
    tools: toolNames.map((name) => ({ name, input_schema: schema })),
    max_tokens: conversation.outputTokens,
  }),
  gemini: (conversation) => ({
    systemInstruction: { parts: [{ text: conversation.system }] },
    contents: callsOf(conversation).flatMap(({ user, attachment, rounds, answer }) => [
      {
        role: "user",
        parts: [
          { text: user },
          ...(attachment ? [{ inlineData: { mimeType: attachment.mediaType, data: attachment.base64 } }] : []),
        ],
      },
      ...rounds.flatMap((round) => [
        {
          role: "model",
          parts: round.map(({ tool, args }, index) => ({
            functionCall: { name: tool, args },
            ...(index === 0 ? { thoughtSignature: signatureOf(JSON.stringify(args)) } : {}),
          })),
        },
        {
          role: "user",
          parts: round.map(({ tool, result }) => ({
            functionResponse: {
              name: tool,
              response:
                result.form === "blocks"
                  ? { lines: halves(result.text) }
                  : result.form === "error"
                    ? { error: result.text }
                    : { output: result.text },
            },
          })),
        },
      ]),
      ...(answer === undefined ? [] : [{ role: "model", parts: [{ text: answer }] }]),
    ]),
    tools: [{ functionDeclarations: toolNames.map((name) => ({ name, parameters: schema })) }],
    generationConfig: { maxOutputTokens: conversation.outputTokens },
  }),
  "ai-sdk": (conversation) => ({
    prompt: [
      { role: "system", content: conversation.system },
      ...callsOf(conversation).flatMap(({ user, attachment, rounds, answer }, at) => [
        {
          role: "user",
          content: [
            { type: "text", text: user },
            ...(attachment ? [{ type: "file", mediaType: attachment.mediaType, data: attachment.base64 }] : []),
          ],
        },
        ...rounds.flatMap((round, number) => [
          {
            role: "assistant",
            content: [
              {
                type: "reasoning",
                text: `Thought ${at}.${number}`,
                providerOptions: { sim: { signature: signatureOf(`Thought ${at}.${number}`) } },
              },
              ...round.map(({ id, tool, args }) => ({
                type: "tool-call",
                toolCallId: id,
                toolName: tool,
                input: args,
              })),
            ],
          },
          {
            role: "tool",
            content: round.map(({ id, tool, result }) => ({
              type: "tool-result",
              toolCallId: id,
              toolName: tool,
              output: aiSdkOutput(result),
            })),
          },
        ]),
        ...(answer === undefined ? [] : [{ role: "assistant", content: [{ type: "text", text: answer }] }]),
      ]),
    ],
    tools: toolNames.map((name) => ({ type: "function", name, inputSchema: schema })),
    maxOutputTokens: conversation.outputTokens,
  }),
};

function anthropicResult({ id, result }: Calls[number], marked: boolean) {
  const content =
    result.form === "blocks"
      ? halves(result.text).map((text) => ({ type: "text", text }))
      : result.form === "picture"
        ? [{ type: "image", source: { type: "base64", media_type: "image/png", data: result.text } }]
        : result.text;
  return {
    type: "tool_result",
    tool_use_id: id,
    content,
    ...(result.form === "error" ? { is_error: true } : {}),
    ...(marked ? { cache_control: { type: "ephemeral" } } : {}),
  };
}

function aiSdkOutput({ text, form }: Result) {
  if (form === "error") return { type: "error-text", value: text };
  if (form === "picture")
    return { type: "content", value: [{ type: "file-data", data: text, mediaType: "image/png" }] };
  return form === "blocks"
    ? { type: "content", value: halves(text).map((half) => ({ type: "text", text: half })) }
    : { type: "text", value: text };
}

/** Providers want the roles to alternate: an answerless turn's results and the next user text are one message. */
function mergeUsers<T extends { role: string; content: readonly unknown[] }>(messages: readonly T[]): T[] {
  const merged: T[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === message.role) merged.splice(-1, 1, { ...last, content: [...last.content, ...message.content] });
    else merged.push(message);
  }
  return merged;
}

/** Two pieces, cut between code points. */
function halves(text: string): string[] {
  const units = [...text];
  const middle = Math.ceil(units.length / 2);
  return [units.slice(0, middle).join(""), units.slice(middle).join("")].filter((half) => half !== "");
}
