/** Simulates Gemini generateContent, which streams from an address of its own. */
import { type RequestBody, toFields, toItems } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import {
  type Conversation,
  type HttpSimulator,
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
  writeError,
  writeEvent,
} from "./simulator.ts";

const modelAddress = `https://api.sim/v1beta/models/${simulatedModel}`;

export const geminiSimulator: HttpSimulator = {
  dialect: gemini,
  sharesWindow: false,
  path: /\/models\/[\w.-]+:(?:stream)?[gG]enerateContent$/,
  address: `${modelAddress}:generateContent`,
  stream: { address: `${modelAddress}:streamGenerateContent`, fields: {} },
  asksForStream: (pathname) => pathname.endsWith(":streamGenerateContent"),
  writeRequest,
  countOutput: ({ generationConfig }) => Number(toFields(generationConfig).maxOutputTokens ?? 0),
  findFault,
  refuse,
  wholeAnswer: {
    candidates: [{ content: { role: "model", parts: [{ text: "done" }] }, finishReason: "STOP", index: 0 }],
  },
  writeStream,
};

function writeRequest(conversation: Conversation): RequestBody {
  return {
    systemInstruction: { parts: [{ text: conversation.system }] },
    contents: numberCalls(conversation).flatMap(writeTurn),
    tools: [{ functionDeclarations: offeredTools.map((name) => ({ name, parameters: toolSchema })) }],
    generationConfig: { maxOutputTokens: conversation.outputTokens },
  };
}

function writeTurn({ user, attachment, rounds, answer }: NumberedTurn): object[] {
  return [
    {
      role: "user",
      parts: [
        { text: user },
        ...(attachment ? [{ inlineData: { mimeType: attachment.mediaType, data: attachment.base64 } }] : []),
      ],
    },
    ...rounds.flatMap((round) => [
      { role: "model", parts: round.map(({ tool, args }, index) => writeCall(tool, args, index)) },
      {
        role: "user",
        parts: round.map(({ tool, result }) => ({ functionResponse: { name: tool, response: writeResult(result) } })),
      },
    ]),
    ...(answer === undefined ? [] : [{ role: "model", parts: [{ text: answer }] }]),
  ];
}

/** Only the first of parallel calls is signed. */
function writeCall(name: string, args: object, index: number): object {
  return {
    functionCall: { name, args },
    ...(index === 0 ? { thoughtSignature: sign(JSON.stringify(args)) } : {}),
  };
}

function writeResult({ text, form }: ToolResult): object {
  if (form === "blocks") return { lines: splitInHalf(text) };
  return form === "error" ? { error: text } : { output: text };
}

function findFault({ contents }: RequestBody): string | undefined {
  const all = toItems(contents).map((content) => toItems(toFields(content).parts).map(toFields));
  for (const [index, parts] of all.entries()) {
    const calls = parts.filter(({ functionCall }) => functionCall);
    const [first] = calls;
    if (first && first.thoughtSignature !== sign(JSON.stringify(toFields(first.functionCall).args)))
      return "Function call is missing a thought_signature";
    const next = (all[index + 1] ?? []).map((part) => toFields(part.functionResponse));
    if (calls.some(({ functionCall }, position) => next[position]?.name !== toFields(functionCall).name))
      return "the number of function response parts must equal the function call parts";
    const responses = parts.flatMap(({ functionResponse }) =>
      functionResponse ? [toFields(functionResponse).response] : [],
    );
    if (responses.some((response) => Array.isArray(response) || typeof response !== "object"))
      return "response must be an object";
    if (parts.length === 0 || parts.some(({ text }) => text === "")) return "parts must not be empty";
  }
  return undefined;
}

function refuse({ limit, input }: SimulatedSizes) {
  return writeError(400, {
    code: 400,
    message: `The input token count (${input}) exceeds the maximum number of tokens allowed (${limit}).`,
    status: "INVALID_ARGUMENT",
  });
}

function writeStream({ text = "", calls = [], ends }: ScriptedAnswer, { input, output }: SimulatedUsage): string[] {
  const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
  const chunk = (parts: readonly object[], extraFields: object = {}) =>
    writeEvent({ candidates: [{ content: { role: "model", parts }, index: 0, ...extraFields }], usageMetadata });
  return [
    ...splitForStream(text).map((piece) => chunk([{ text: piece }])),
    ...(calls.length > 0 ? [chunk(calls.map(({ tool, input: args }, index) => writeCall(tool, args, index)))] : []),
    ...(ends === "in the middle" ? [] : [chunk([{ text: "" }], { finishReason: ends ? "MAX_TOKENS" : "STOP" })]),
  ];
}
