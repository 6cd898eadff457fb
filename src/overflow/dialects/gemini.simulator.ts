/** Simulates Gemini generateContent, which streams from an address of its own. */
import { fieldsOf, itemsOf, type Request } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import {
  type Conversation,
  type HttpSimulator,
  type NumberedTurn,
  numberCalls,
  offeredTools,
  type Result,
  type Said,
  type Sizes,
  sign,
  simulatedModel,
  splitForStream,
  splitInHalf,
  toolSchema,
  type Usage,
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
  countOutput: ({ generationConfig }) => Number(fieldsOf(generationConfig).maxOutputTokens ?? 0),
  findFault,
  refuse,
  wholeAnswer: {
    candidates: [{ content: { role: "model", parts: [{ text: "done" }] }, finishReason: "STOP", index: 0 }],
  },
  writeStream,
};

function writeRequest(conversation: Conversation): Request {
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

function writeResult({ text, form }: Result): object {
  if (form === "blocks") return { lines: splitInHalf(text) };
  return form === "error" ? { error: text } : { output: text };
}

function findFault({ contents }: Request): string | undefined {
  const all = itemsOf(contents).map((content) => itemsOf(fieldsOf(content).parts).map(fieldsOf));
  for (const [index, parts] of all.entries()) {
    const calls = parts.filter(({ functionCall }) => functionCall);
    const [first] = calls;
    if (first && first.thoughtSignature !== sign(JSON.stringify(fieldsOf(first.functionCall).args)))
      return "Function call is missing a thought_signature";
    const next = (all[index + 1] ?? []).map((part) => fieldsOf(part.functionResponse));
    if (calls.some(({ functionCall }, position) => next[position]?.name !== fieldsOf(functionCall).name))
      return "the number of function response parts must equal the function call parts";
    const responses = parts.flatMap(({ functionResponse }) =>
      functionResponse ? [fieldsOf(functionResponse).response] : [],
    );
    if (responses.some((response) => Array.isArray(response) || typeof response !== "object"))
      return "response must be an object";
    if (parts.length === 0 || parts.some(({ text }) => text === "")) return "parts must not be empty";
  }
  return undefined;
}

function refuse({ limit, input }: Sizes) {
  return writeError(400, {
    code: 400,
    message: `The input token count (${input}) exceeds the maximum number of tokens allowed (${limit}).`,
    status: "INVALID_ARGUMENT",
  });
}

function writeStream({ text = "", calls = [], ends }: Said, { input, output }: Usage): string[] {
  const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
  const chunk = (parts: readonly object[], more: object = {}) =>
    writeEvent({ candidates: [{ content: { role: "model", parts }, index: 0, ...more }], usageMetadata });
  return [
    ...splitForStream(text).map((piece) => chunk([{ text: piece }])),
    ...(calls.length > 0 ? [chunk(calls.map(({ tool, input: args }, index) => writeCall(tool, args, index)))] : []),
    ...(ends === "in the middle" ? [] : [chunk([{ text: "" }], { finishReason: ends ? "MAX_TOKENS" : "STOP" })]),
  ];
}
