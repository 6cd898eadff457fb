/** Inspects what an upstream answers: reads just enough to recognise a refusal, and holds what it has read. */
import type { IncomingMessage } from "node:http";
import { classify } from "../../overflow/classify/classify.ts";
import type { OnUsage, SendResult } from "../../overflow/exchange.ts";
import { createRefusalScanner, type RefusalScanner, type ScanResult } from "../../overflow/wire/refusal-scanner.ts";
import { createUsageTail, readInputTokens } from "../../overflow/wire/token-usage.ts";
import { decompress } from "./decompress.ts";
import { readUntil } from "./read-body.ts";

/** An upstream's response, with what has been read of its body. */
export type UpstreamResponse = {
  readonly message: IncomingMessage;
  readonly chunks: readonly Buffer[];
  /** Whether `chunks` are the whole body. */
  readonly isComplete: boolean;
};

const MAX_ERROR_BYTES = 1024 * 1024;

/** The response with the refusal in it, if it holds one. A success is held only where it may hold a refusal. */
export async function inspectResponse(
  message: IncomingMessage,
  mayBeRefused: boolean,
): Promise<SendResult<UpstreamResponse>> {
  const { statusCode: status = 502, headers } = message;
  const type = headers["content-type"] ?? "";
  const encoding = headers["content-encoding"] ?? "identity";
  if (status >= 400) return inspectError(message, status, encoding);
  const scanner = mayBeRefused && encoding === "identity" ? createRefusalScanner(type) : undefined;
  if (scanner === undefined) {
    const answer = { message, chunks: [], isComplete: false };
    return { answer, isAccepted: true, onUsage: encoding === "identity" ? followUsage(answer) : undefined };
  }
  return inspectSuccess(message, status, scanner);
}

async function inspectError(
  message: IncomingMessage,
  status: number,
  encoding: string,
): Promise<SendResult<UpstreamResponse>> {
  const { chunks, isComplete } = await readError(message);
  const body = (decompress(Buffer.concat(chunks), encoding, MAX_ERROR_BYTES) ?? "").toString();
  const headers = Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, value?.toString()]));
  const refusal = { verdict: classify({ status, headers, body }), status, body };
  return { answer: { message, chunks, isComplete }, isAccepted: false, refusal };
}

async function readError(message: IncomingMessage): Promise<Pick<UpstreamResponse, "chunks" | "isComplete">> {
  const chunks: Buffer[] = [];
  try {
    const { isComplete } = await readUntil(message, (chunk, bytes) => {
      chunks.push(chunk);
      return bytes > MAX_ERROR_BYTES;
    });
    return { chunks, isComplete };
  } catch {
    // An upstream that refuses a body it has not read may close the connection early: what it has sent counts.
    return { chunks, isComplete: true };
  }
}

/** Holds a success until its first event with content. The client would have waited for the same event. */
async function inspectSuccess(
  message: IncomingMessage,
  status: number,
  { scan, finish }: RefusalScanner,
): Promise<SendResult<UpstreamResponse>> {
  let result: ScanResult = { status: "undecided" };
  const { chunks, isComplete } = await readUntil(message, (chunk) => {
    result = scan(chunk);
    return result.status !== "undecided";
  });
  if (isComplete) result = finish();
  const answer = { message, chunks, isComplete };
  if (result.status !== "refused") return { answer, isAccepted: true, onUsage: followUsage(answer) };
  const { verdict, body } = result;
  const discard = async () => void message.destroy();
  return { answer, isAccepted: false, refusal: { verdict, status, body }, discard };
}

/** Calls back with the tokens that the response reports: at once if it is complete, else when it has ended. */
function followUsage({ message, chunks, isComplete }: UpstreamResponse): (listener: OnUsage) => void {
  const inputTokens = readInputTokens(chunks);
  return (listener) => {
    if (isComplete || inputTokens !== undefined) return listener(inputTokens);
    const tail = createUsageTail();
    // A listener would make the message flow before the client is connected to it.
    message.pause();
    message.on("data", tail.push).once("close", () => listener(tail.read()));
  };
}
