/** Simulates the prompts of the AI SDK, as its middleware gets them. */
import { aiSdk } from "./ai-sdk.ts";
import { type JsonFields, type RequestBody, toFields, toItems } from "./dialect.ts";
import {
  type Conversation,
  type NumberedTurn,
  numberCalls,
  offeredTools,
  type Simulator,
  sign,
  splitInHalf,
  type ToolResult,
  toolSchema,
} from "./simulator.ts";

export const aiSdkSimulator: Simulator = {
  dialect: aiSdk,
  sharesWindow: true,
  writeRequest,
  countOutput: ({ maxOutputTokens }) => Number(maxOutputTokens ?? 0),
  findFault,
};

function writeRequest(conversation: Conversation): RequestBody {
  return {
    prompt: [{ role: "system", content: conversation.system }, ...numberCalls(conversation).flatMap(writeTurn)],
    tools: offeredTools.map((name) => ({ type: "function", name, inputSchema: toolSchema })),
    maxOutputTokens: conversation.outputTokens,
  };
}

function writeTurn({ user, attachment, rounds, answer }: NumberedTurn, turn: number): object[] {
  return [
    {
      role: "user",
      content: [
        { type: "text", text: user },
        ...(attachment ? [{ type: "file", mediaType: attachment.mediaType, data: attachment.base64 }] : []),
      ],
    },
    ...rounds.flatMap((round, index) => [
      {
        role: "assistant",
        content: [
          writeReasoning(`Thought ${turn}.${index}`),
          ...round.map(({ id, tool, args }) => ({ type: "tool-call", toolCallId: id, toolName: tool, input: args })),
        ],
      },
      {
        role: "tool",
        content: round.map(({ id, tool, result }) => ({
          type: "tool-result",
          toolCallId: id,
          toolName: tool,
          output: writeResult(result),
        })),
      },
    ]),
    ...(answer === undefined ? [] : [{ role: "assistant", content: [{ type: "text", text: answer }] }]),
  ];
}

const writeReasoning = (text: string) => ({
  type: "reasoning",
  text,
  providerOptions: { sim: { signature: sign(text) } },
});

function writeResult({ text, form }: ToolResult): object {
  if (form === "error") return { type: "error-text", value: text };
  if (form === "picture")
    return { type: "content", value: [{ type: "file-data", data: text, mediaType: "image/png" }] };
  return form === "blocks"
    ? { type: "content", value: splitInHalf(text).map((half) => ({ type: "text", text: half })) }
    : { type: "text", value: text };
}

function findFault({ prompt }: RequestBody): string | undefined {
  let waiting = new Set<unknown>();
  for (const { role, content } of toItems(prompt).map(toFields)) {
    const blocks = toItems(content).map(toFields);
    if (role !== "tool" && waiting.size > 0) return `tool calls without results: ${[...waiting].join()}`;
    if (blocks.some(({ type, text }) => type === "text" && text === "")) return "text must not be empty";
    if (blocks.some(isForged)) return "reasoning was changed";
    for (const { type, toolCallId } of blocks)
      if (type === "tool-result" && !waiting.delete(toolCallId)) return `no call for result ${toolCallId}`;
    if (role === "assistant")
      waiting = new Set(blocks.filter(({ type }) => type === "tool-call").map(({ toolCallId }) => toolCallId));
  }
  return waiting.size > 0 ? "tool calls without results" : undefined;
}

function isForged({ type, text, providerOptions }: JsonFields): boolean {
  return type === "reasoning" && toFields(toFields(providerOptions).sim).signature !== sign(String(text));
}
