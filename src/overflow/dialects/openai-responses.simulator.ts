/** Simulates OpenAI Responses. */
import { type RequestBody, toFields, toItems } from "./dialect.ts";
import { openaiResponses } from "./openai-responses.ts";
import {
  type Conversation,
  type HttpSimulator,
  hasStreamField,
  isJsonObject,
  type NumberedTurn,
  numberCalls,
  offeredTools,
  type ScriptedAnswer,
  type SimulatedUsage,
  sign,
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

export const openaiResponsesSimulator: HttpSimulator = {
  dialect: openaiResponses,
  sharesWindow: true,
  path: /\/v1\/responses$/,
  address: "https://api.sim/v1/responses",
  stream: { address: "https://api.sim/v1/responses", fields: { stream: true } },
  asksForStream: (_, json) => hasStreamField(json),
  writeRequest,
  countOutput: ({ max_output_tokens }) => Number(max_output_tokens ?? 0),
  findFault,
  refuse,
  wholeAnswer: {
    id: "resp_1",
    object: "response",
    created_at: 1,
    model: simulatedModel,
    status: "completed",
    output: [
      {
        type: "message",
        id: "m_1",
        role: "assistant",
        content: [{ type: "output_text", text: "done", annotations: [] }],
      },
    ],
  },
  writeStream,
};

function writeRequest(conversation: Conversation): RequestBody {
  return {
    model: simulatedModel,
    instructions: conversation.system,
    input: numberCalls(conversation).flatMap(writeTurn),
    tools: offeredTools.map((name) => ({ type: "function", name, parameters: toolSchema })),
    max_output_tokens: conversation.outputTokens,
    store: false,
  };
}

function writeTurn({ user, attachment, rounds, answer }: NumberedTurn, turn: number): object[] {
  const image_url = attachment && toDataUrl(attachment.mediaType, attachment.base64);
  return [
    {
      role: "user",
      content: [
        { type: "input_text", text: user },
        ...(image_url === undefined ? [] : [{ type: "input_image", image_url }]),
      ],
    },
    ...rounds.flatMap((round, index) => [
      writeReasoning(`${turn}.${index}`),
      ...round.map(({ id, tool, args }) => ({
        type: "function_call",
        id: `fc_${id}`,
        call_id: id,
        name: tool,
        arguments: JSON.stringify(args),
      })),
      ...round.map(({ id, result }) => ({ type: "function_call_output", call_id: id, output: writeResult(result) })),
    ]),
    ...(answer === undefined ? [] : [{ role: "assistant", content: [{ type: "output_text", text: answer }] }]),
  ];
}

/** A thought that the client gets encrypted; its id names what was signed. */
function writeReasoning(thought: string) {
  const id = `rs_${thought.replace(".", "_")}`;
  return { type: "reasoning", id, summary: [], encrypted_content: sign(thought) };
}

function writeResult({ text, form }: ToolResult): unknown {
  if (form === "blocks") return splitInHalf(text).map((half) => ({ type: "input_text", text: half }));
  return form === "picture" ? [{ type: "input_image", image_url: toDataUrl("image/png", text) }] : text;
}

function findFault({ input }: RequestBody): string | undefined {
  const items = toItems(input).map(toFields);
  const calls = new Set(items.filter(({ type }) => type === "function_call").map(({ call_id }) => call_id));
  for (const [index, { type, call_id, encrypted_content, id, output, arguments: json }] of items.entries()) {
    if (type === "function_call" && !isJsonObject(json)) return "arguments must be a JSON object in a string";
    if (type === "function_call_output" && !calls.delete(call_id))
      return `No tool call found for function call output with call_id ${call_id}.`;
    if (type === "function_call_output" && (output === "" || (Array.isArray(output) && output.length === 0)))
      return "output must not be empty";
    if (type === "reasoning" && encrypted_content !== sign(String(id).slice(3).replace("_", ".")))
      return "The encrypted content could not be verified.";
    if (type === "reasoning" && items[index + 1]?.type !== "function_call")
      return "reasoning was provided without its required following item";
  }
  return calls.size > 0 ? `No tool output found for function call ${[...calls].join()}.` : undefined;
}

/** This provider names no number. */
function refuse() {
  return writeError(400, {
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    code: "context_length_exceeded",
  });
}

function writeStream(
  { text = "", calls = [], ends }: ScriptedAnswer,
  { input, output }: SimulatedUsage,
  turn: number,
): string[] {
  const message = { type: "message", id: `msg_${turn}`, role: "assistant", content: [] };
  const items = [
    ...(text === "" ? [] : [message]),
    ...(calls.length === 0 ? [] : [writeReasoning(`${turn}.1`)]),
    ...calls.map((call, index) => ({
      type: "function_call",
      id: `fc_${turn}_${index}`,
      call_id: `call_${turn}_${index}`,
      ...writeFunctionCall(call),
      status: "completed",
    })),
  ];
  const response = { id: `resp_${turn}`, created_at: 1, model: simulatedModel };
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  const ending =
    ends === "cut"
      ? { type: "response.incomplete", incomplete_details: { reason: "max_output_tokens" } }
      : { type: "response.completed", incomplete_details: null };
  return [
    writeEvent({ type: "response.created", response }),
    ...items.flatMap((item, output_index) => [
      writeEvent({ type: "response.output_item.added", output_index, item: { ...item, arguments: "" } }),
      ...(item === message ? splitForStream(text) : []).map((delta) => {
        const place = { item_id: message.id, output_index, content_index: 0 };
        return writeEvent({ type: "response.output_text.delta", ...place, delta });
      }),
      writeEvent({ type: "response.output_item.done", output_index, item }),
    ]),
    ...(ends === "in the middle"
      ? []
      : [
          writeEvent({
            type: ending.type,
            response: { ...response, usage, incomplete_details: ending.incomplete_details },
          }),
        ]),
  ];
}
