/** Simulates OpenAI Chat Completions. */
import { type RequestBody, toFields, toItems } from "./dialect.ts";
import { openaiChat } from "./openai-chat.ts";
import {
  type Conversation,
  type HttpSimulator,
  hasStreamField,
  isJsonObject,
  type NumberedTurn,
  numberCalls,
  offeredTools,
  type ScriptedAnswer,
  type SimulatedSizes,
  type SimulatedUsage,
  simulatedModel,
  splitForStream,
  splitInHalf,
  type ToolResult,
  toDataUrl,
  toolSchema,
  writeError,
  writeEvent,
  writeFunctionCall,
} from "./simulator.ts";

export const openaiChatSimulator: HttpSimulator = {
  dialect: openaiChat,
  sharesWindow: true,
  path: /\/v1\/chat\/completions$/,
  address: "https://api.sim/v1/chat/completions",
  stream: { address: "https://api.sim/v1/chat/completions", fields: { stream: true } },
  asksForStream: (_, json) => hasStreamField(json),
  writeRequest,
  countOutput: ({ max_completion_tokens, max_tokens }) =>
    Math.max(Number(max_completion_tokens ?? 0), Number(max_tokens ?? 0)),
  findFault,
  refuse,
  wholeAnswer: {
    id: "chat_1",
    object: "chat.completion",
    created: 1,
    model: simulatedModel,
    choices: [{ index: 0, message: { role: "assistant", content: "done" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
  },
  writeStream,
};

function writeRequest(conversation: Conversation): RequestBody {
  return {
    model: simulatedModel,
    messages: [{ role: "system", content: conversation.system }, ...numberCalls(conversation).flatMap(writeTurn)],
    tools: offeredTools.map((name) => ({ type: "function", function: { name, parameters: toolSchema } })),
    max_completion_tokens: conversation.outputTokens,
    temperature: 1.0,
  };
}

function writeTurn({ user, attachment, rounds, answer }: NumberedTurn): object[] {
  const url = attachment && toDataUrl(attachment.mediaType, attachment.base64);
  const text = { type: "text", text: user };
  return [
    { role: "user", content: url === undefined ? user : [text, { type: "image_url", image_url: { url } }] },
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
      ...round.map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: writeResult(result) })),
    ]),
    ...(answer === undefined ? [] : [{ role: "assistant", content: answer }]),
  ];
}

function writeResult({ text, form }: ToolResult): unknown {
  return form === "blocks" ? splitInHalf(text).map((half) => ({ type: "text", text: half })) : text;
}

function findFault({ messages }: RequestBody): string | undefined {
  let waiting = new Set<unknown>();
  for (const message of toItems(messages).map(toFields)) {
    const { role, tool_calls, tool_call_id, content } = message;
    if (role === "tool" && !waiting.delete(tool_call_id))
      return `messages with role 'tool' must follow their 'tool_calls': ${tool_call_id}`;
    if (role !== "tool" && waiting.size > 0)
      return `tool_call_ids did not have response messages: ${[...waiting].join()}`;
    const isEmpty = content === "" || content === null || (Array.isArray(content) && content.length === 0);
    if (role !== "assistant" && isEmpty) return "content must not be empty";
    if (toItems(content).some((block) => toFields(block).text === "")) return "text content must not be empty";
    for (const call of toItems(tool_calls).map(toFields))
      if (!isJsonObject(toFields(call.function).arguments)) return "arguments must be a JSON object in a string";
    if (tool_calls) waiting = new Set(toItems(tool_calls).map((call) => toFields(call).id));
  }
  return waiting.size > 0 ? `tool_call_ids did not have response messages: ${[...waiting].join()}` : undefined;
}

function refuse({ limit, input, output }: SimulatedSizes) {
  return writeError(400, {
    message: `This model's maximum context length is ${limit} tokens. However, you requested ${input + output} tokens (${input} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`,
    type: "invalid_request_error",
    param: "messages",
    code: "context_length_exceeded",
  });
}

function writeStream(
  { text = "", calls = [], ends, uncounted }: ScriptedAnswer,
  { input, output }: SimulatedUsage,
  turn: number,
) {
  const head = { id: "chat_1", object: "chat.completion.chunk", created: 1, model: simulatedModel };
  const chunk = (delta: object, finish_reason: string | null = null) =>
    writeEvent({ ...head, choices: [{ index: 0, delta, finish_reason }] });
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  const content = [
    ...splitForStream(text).map((piece) => chunk({ role: "assistant", content: piece })),
    ...calls.map((call, index) => {
      const id = `call_${turn}_${index}`;
      return chunk({ tool_calls: [{ index, id, type: "function", function: writeFunctionCall(call) }] });
    }),
  ];
  if (ends === "in the middle") return content;
  return [
    ...content,
    chunk({}, ends === "cut" ? "length" : calls.length > 0 ? "tool_calls" : "stop"),
    ...(uncounted ? [] : [writeEvent({ ...head, choices: [], usage })]),
    "data: [DONE]\n\n",
  ];
}
