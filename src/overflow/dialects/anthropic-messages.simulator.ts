/** Simulates Anthropic Messages. */
import { anthropicMessages } from "./anthropic-messages.ts";
import { type JsonFields, type RequestBody, toFields, toItems } from "./dialect.ts";
import {
  type Conversation,
  type HttpSimulator,
  hasStreamField,
  type NumberedCall,
  type NumberedTurn,
  numberCalls,
  offeredTools,
  type ScriptedAnswer,
  type SimulatedSizes,
  type SimulatedUsage,
  sign,
  simulatedModel,
  splitForStream,
  splitInHalf,
  type ToolResult,
  toolSchema,
  writeEvent,
} from "./simulator.ts";

export const anthropicMessagesSimulator: HttpSimulator = {
  dialect: anthropicMessages,
  sharesWindow: true,
  path: /\/v1\/messages$/,
  address: "https://api.sim/v1/messages",
  stream: { address: "https://api.sim/v1/messages", fields: { stream: true } },
  asksForStream: (_, json) => hasStreamField(json),
  writeRequest,
  countOutput: ({ max_tokens }) => Number(max_tokens ?? 0),
  findFault,
  refuse,
  wholeAnswer: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: simulatedModel,
    content: [{ type: "text", text: "done" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 10, output_tokens: 1 },
  },
  writeStream,
};

const cacheMark = { cache_control: { type: "ephemeral" } };

function writeRequest(conversation: Conversation): RequestBody {
  return {
    model: simulatedModel,
    system: [{ type: "text", text: conversation.system, ...cacheMark }],
    messages: mergeSameRole(numberCalls(conversation).flatMap(writeTurn)),
    tools: offeredTools.map((name) => ({ name, input_schema: toolSchema })),
    max_tokens: conversation.outputTokens,
  };
}

type Message = { readonly role: "user" | "assistant"; readonly content: readonly object[] };

function writeTurn({ user, attachment, rounds, answer }: NumberedTurn, turn: number): Message[] {
  return [
    {
      role: "user",
      content: [
        ...(attachment ? [writePicture(attachment.mediaType, attachment.base64)] : []),
        { type: "text", text: user, ...(turn === 0 ? cacheMark : {}) },
      ],
    },
    ...rounds.flatMap((round, index): Message[] => [
      {
        role: "assistant",
        content: [
          writeThinking(`Thought ${turn}.${index}`),
          ...round.map(({ id, tool, args }) => ({ type: "tool_use", id, name: tool, input: args })),
        ],
      },
      {
        role: "user",
        content: round.map((call, callIndex) => writeResult(call, turn === 1 && index === 0 && callIndex === 0)),
      },
    ]),
    ...(answer === undefined ? [] : [{ role: "assistant" as const, content: [{ type: "text", text: answer }] }]),
  ];
}

const writeThinking = (thinking: string) => ({ type: "thinking", thinking, signature: sign(thinking) });

const writePicture = (media_type: string, data: string) => ({
  type: "image",
  source: { type: "base64", media_type, data },
});

function writeResult({ id, result }: NumberedCall, isMarked: boolean): object {
  return {
    type: "tool_result",
    tool_use_id: id,
    content: writeResultContent(result),
    ...(result.form === "error" ? { is_error: true } : {}),
    ...(isMarked ? cacheMark : {}),
  };
}

function writeResultContent({ text, form }: ToolResult): unknown {
  if (form === "blocks") return splitInHalf(text).map((half) => ({ type: "text", text: half }));
  return form === "picture" ? [writePicture("image/png", text)] : text;
}

/** The roles must alternate: the results of a turn without an answer and the next user text are one message. */
function mergeSameRole(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === message.role) merged.splice(-1, 1, { ...last, content: [...last.content, ...message.content] });
    else merged.push(message);
  }
  return merged;
}

function findFault({ messages, system, max_tokens, thinking }: RequestBody): string | undefined {
  const all = toItems(messages).map(toFields);
  const budget = toFields(thinking).budget_tokens;
  if (typeof budget === "number" && Number(max_tokens) <= budget)
    return "`max_tokens` must be greater than `thinking.budget_tokens`";
  if (JSON.stringify([messages, system]).split('"cache_control"').length - 1 > 4)
    return "A maximum of 4 blocks with cache_control may be provided.";
  return all.map((_, index) => findMessageFault(all, index)).find((fault) => fault !== undefined);
}

function findMessageFault(messages: readonly JsonFields[], index: number): string | undefined {
  const [before, message, after] = [messages[index - 1], messages[index], messages[index + 1]];
  if (before?.role === message?.role) return `messages.${index}: roles must alternate`;
  const blocks = toItems(message?.content).map(toFields);
  if (blocks.some(({ type, text }) => type === "text" && text === ""))
    return `messages.${index}: text content blocks must be non-empty`;
  const isForged = ({ type, thinking, signature }: JsonFields) =>
    type === "thinking" && signature !== sign(String(thinking));
  if (blocks.some(isForged)) return "Invalid `signature` in `thinking` block";
  const calls = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
  const results = toItems(after?.content)
    .slice(0, calls.length)
    .map((block) => toFields(block).tool_use_id);
  if (calls.some((id) => !results.includes(id)))
    return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`;
  const called = toItems(before?.content).map((block) => toFields(block).id);
  if (blocks.some(({ type, tool_use_id }) => type === "tool_result" && !called.includes(tool_use_id)))
    return `messages.${index}: unexpected \`tool_use_id\``;
  return undefined;
}

function refuse({ limit, input, output }: SimulatedSizes) {
  const message =
    input > limit
      ? `prompt is too long: ${input} tokens > ${limit} maximum`
      : `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${limit}, decrease input length or \`max_tokens\` and try again`;
  const error = { type: "invalid_request_error", message };
  return { status: 400, body: JSON.stringify({ type: "error", error, request_id: "req_1" }) };
}

function writeStream(answer: ScriptedAnswer, { input, output }: SimulatedUsage, turn: number): string[] {
  const { calls = [], ends } = answer;
  const head = { id: `msg_${turn}`, type: "message", role: "assistant", model: simulatedModel, content: [] };
  const usage = { input_tokens: input, output_tokens: 0 };
  const stop_reason = ends === "cut" ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn";
  return [
    writeNamedEvent("message_start", { message: { ...head, stop_reason: null, usage } }),
    ...streamBlocks(answer, turn).flatMap(({ start, deltas }, index) => [
      writeNamedEvent("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => writeNamedEvent("content_block_delta", { index, delta })),
      writeNamedEvent("content_block_stop", { index }),
    ]),
    ...(ends === "in the middle"
      ? []
      : [
          writeNamedEvent("message_delta", {
            delta: { stop_reason, stop_sequence: null },
            usage: { output_tokens: output },
          }),
          writeNamedEvent("message_stop", {}),
        ]),
  ];
}

const writeNamedEvent = (type: string, fields: object): string => `event: ${type}\n${writeEvent({ type, ...fields })}`;

type StreamBlock = { readonly start: object; readonly deltas: readonly object[] };

function streamBlocks({ text = "", calls = [] }: ScriptedAnswer, turn: number): StreamBlock[] {
  const { thinking, signature } = writeThinking(`Thought ${turn}`);
  const thought: StreamBlock = {
    start: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      { type: "thinking_delta", thinking },
      { type: "signature_delta", signature },
    ],
  };
  const words: StreamBlock = {
    start: { type: "text", text: "" },
    deltas: splitForStream(text).map((piece) => ({ type: "text_delta", text: piece })),
  };
  return [
    ...(calls.length === 0 ? [] : [thought]),
    ...(text === "" ? [] : [words]),
    ...calls.map(({ tool, input, garbled }, index) => ({
      start: { type: "tool_use", id: `toolu_${turn}_${index}`, name: tool, input: {} },
      deltas: [{ type: "input_json_delta", partial_json: garbled ?? JSON.stringify(input) }],
    })),
  ];
}
