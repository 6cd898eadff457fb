/** What a simulated model says, as each provider streams it: words, signed thoughts, calls and the usage at the end. */
import type { Dialect, Request } from "../src/overflow/dialects/dialect.ts";
import { dialects } from "../src/overflow/dialects/dialects.ts";
import { signatureOf } from "./conversations.ts";

/** A call; `garbled` stands for arguments that a model did not write as it should have. */
export type ScriptedCall = {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly garbled?: string;
};

/** One answer: words, calls, or both. It may reach the model's output limit, or just end in the middle. */
export type Said = {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly ends?: "cut" | "in the middle";
  /** Some servers do not count tokens. */
  readonly uncounted?: boolean;
};

/** Decides by what the request holds and by nothing else, as a model does. */
export type Script = (request: Request, dialect: Dialect) => Said;

export type Usage = { readonly input: number; readonly output: number };

/** The texts of all tool results in a request, in order. */
export function resultsIn(request: Request, dialect: Dialect): string[] {
  const texts = new Map<string, string>();
  for (const { role, content, at } of dialect.parts(request)) {
    if (role !== "tool_result" || !("text" in content)) continue;
    const place = at.slice(0, 4).join(".");
    texts.set(place, `${texts.get(place) ?? ""}${content.text}`);
  }
  return [...texts.values()];
}

/** What a script says to a request of this format. */
export function saidBy(script: Script, request: Request, name: Dialect["name"]): Said {
  const dialect = dialects.find((each) => each.name === name);
  if (dialect === undefined) throw new Error(`${name} is no provider's format.`);
  return script(request, dialect);
}

/** An answer as the chunks of a stream; `turn` makes its ids. */
export function saidStream(name: Dialect["name"], said: Said, usage: Usage, turn: number): string[] {
  if (name === "ai-sdk") throw new Error("The AI SDK is no provider.");
  return writers[name](said, usage, turn);
}

type Writer = (said: Said, usage: Usage, turn: number) => string[];

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

/** Words come in pieces, as they do. */
const pieces = (text: string): string[] => text.match(/[\s\S]{1,40}/g) ?? [];

const writers: Readonly<Record<Exclude<Dialect["name"], "ai-sdk">, Writer>> = {
  "openai-chat": ({ text = "", calls = [], ends, uncounted }, { input, output }, turn) => {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      data({ ...chatHead, choices: [{ index: 0, delta, finish_reason }] });
    const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
    const said = [
      ...pieces(text).map((content) => chunk({ role: "assistant", content })),
      ...calls.map((call, index) =>
        chunk({ tool_calls: [{ index, id: `call_${turn}_${index}`, type: "function", function: written(call) }] }),
      ),
    ];
    if (ends === "in the middle") return said;
    return [
      ...said,
      chunk({}, ends === "cut" ? "length" : calls.length > 0 ? "tool_calls" : "stop"),
      ...(uncounted ? [] : [data({ ...chatHead, choices: [], usage })]),
      "data: [DONE]\n\n",
    ];
  },
  "openai-responses": ({ text = "", calls = [], ends }, { input, output }, turn) => {
    const message = { type: "message", id: `msg_${turn}`, role: "assistant", content: [] };
    const thought = `${turn}.1`;
    const reasoning = {
      type: "reasoning",
      id: `rs_${thought.replace(".", "_")}`,
      summary: [],
      encrypted_content: signatureOf(thought),
    };
    const items = [
      ...(text === "" ? [] : [message]),
      ...(calls.length === 0 ? [] : [reasoning]),
      ...calls.map((call, index) => ({
        type: "function_call",
        id: `fc_${turn}_${index}`,
        call_id: `call_${turn}_${index}`,
        ...written(call),
        status: "completed",
      })),
    ];
    const response = { id: `resp_${turn}`, created_at: 1, model };
    const usage = { input_tokens: input, output_tokens: output };
    const how =
      ends === "cut"
        ? { type: "response.incomplete", incomplete_details: { reason: "max_output_tokens" } }
        : { type: "response.completed", incomplete_details: null };
    return [
      data({ type: "response.created", response }),
      ...items.flatMap((item, output_index) => [
        data({ type: "response.output_item.added", output_index, item: { ...item, arguments: "" } }),
        ...(item === message
          ? pieces(text).map((delta) =>
              data({ type: "response.output_text.delta", item_id: message.id, output_index, content_index: 0, delta }),
            )
          : []),
        data({ type: "response.output_item.done", output_index, item }),
      ]),
      ...(ends === "in the middle"
        ? []
        : [data({ type: how.type, response: { ...response, usage, incomplete_details: how.incomplete_details } })]),
    ];
  },
  "anthropic-messages": ({ text = "", calls = [], ends }, { input, output }, turn) => {
    const event = (value: { readonly type: string }) => `event: ${value.type}\n${data(value)}`;
    const thinking = `Thought ${turn}`;
    const blocks: { readonly start: object; readonly deltas: readonly object[] }[] = [
      ...(calls.length === 0
        ? []
        : [
            {
              start: { type: "thinking", thinking: "", signature: "" },
              deltas: [
                { type: "thinking_delta", thinking },
                { type: "signature_delta", signature: signatureOf(thinking) },
              ],
            },
          ]),
      ...(text === ""
        ? []
        : [
            {
              start: { type: "text", text: "" },
              deltas: pieces(text).map((piece) => ({ type: "text_delta", text: piece })),
            },
          ]),
      ...calls.map(({ tool, input: given, garbled }, index) => ({
        start: { type: "tool_use", id: `toolu_${turn}_${index}`, name: tool, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: garbled ?? JSON.stringify(given) }],
      })),
    ];
    const usage = { input_tokens: input, output_tokens: 0 };
    const head = {
      id: `msg_${turn}`,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      usage,
    };
    const reason = ends === "cut" ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn";
    const ending = [
      event({
        type: "message_delta",
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: output },
      } as { type: string }),
      event({ type: "message_stop" }),
    ];
    return [
      event({ type: "message_start", message: head } as { type: string }),
      ...blocks.flatMap(({ start, deltas }, index) =>
        [
          { type: "content_block_start", index, content_block: start },
          ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
          { type: "content_block_stop", index },
        ].map(event),
      ),
      ...(ends === "in the middle" ? [] : ending),
    ];
  },
  gemini: ({ text = "", calls = [], ends }, { input, output }) => {
    const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
    const chunk = (parts: readonly object[], more: object = {}) =>
      data({ candidates: [{ content: { role: "model", parts }, index: 0, ...more }], usageMetadata });
    const called = calls.map(({ tool: name, input: args }, index) => ({
      functionCall: { name, args },
      ...(index === 0 ? { thoughtSignature: signatureOf(JSON.stringify(args)) } : {}),
    }));
    return [
      ...pieces(text).map((piece) => chunk([{ text: piece }])),
      ...(called.length > 0 ? [chunk(called)] : []),
      ...(ends === "in the middle" ? [] : [chunk([{ text: "" }], { finishReason: ends ? "MAX_TOKENS" : "STOP" })]),
    ];
  },
};

const model = "sim-1";
const chatHead = { id: "chat_1", object: "chat.completion.chunk", created: 1, model };

const written = ({ tool, input, garbled }: ScriptedCall) => ({
  name: tool,
  arguments: garbled ?? JSON.stringify(input),
});
