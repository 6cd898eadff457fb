/** Inspects what an upstream answers: reads just enough to recognise a refusal, and holds what it has read. */
import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { classify } from "../../overflow/classify/classify.ts";
import type { SendResult } from "../../overflow/exchange.ts";
import { createRefusalScanner, type RefusalScanner, type ScanResult } from "../../overflow/wire/refusal-scanner.ts";
import { readInputTokens } from "../../overflow/wire/token-usage.ts";
import { readUntil } from "./read-body.ts";

/** An upstream's response, with what has been read of its body. */
export type UpstreamResponse = {
  readonly message: IncomingMessage;
  readonly chunks: readonly Buffer[];
  /** Whether `chunks` are the whole body. */
  readonly isComplete: boolean;
};

const MAX_ERROR_BYTES = 1024 * 1024;

/** The response with the refusal in it, if it holds one. */
export async function inspectResponse(message: IncomingMessage): Promise<SendResult<UpstreamResponse>> {
  const { statusCode: status = 502, headers } = message;
  const type = headers["content-type"] ?? "";
  const encoding = headers["content-encoding"] ?? "identity";
  if (status >= 400) return inspectError(message, status, encoding);
  const scanner = encoding === "identity" ? createRefusalScanner(type) : undefined;
  if (scanner === undefined) return { answer: { message, chunks: [], isComplete: false }, isAccepted: true };
  return inspectSuccess(message, status, scanner);
}

async function inspectError(
  message: IncomingMessage,
  status: number,
  encoding: string,
): Promise<SendResult<UpstreamResponse>> {
  const { chunks, isComplete } = await readError(message);
  const body = decompress(Buffer.concat(chunks), encoding).toString("utf8");
  const headers = Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, value?.toString()]));
  const refusal = { verdict: classify({ status, headers, body }), status, body };
  return { answer: { message, chunks, isComplete }, isAccepted: false, refusal };
}

const decoders: Readonly<Record<string, typeof gunzipSync | typeof brotliDecompressSync>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** The decompressed bytes of an error, or none where its encoding is unknown or broken. */
function decompress(bytes: Buffer, encoding: string): Buffer {
  if (encoding === "identity") return bytes;
  try {
    return decoders[encoding]?.(bytes, { maxOutputLength: MAX_ERROR_BYTES }) ?? Buffer.alloc(0);
  } catch {
    return Buffer.alloc(0); // The response is passed on unchanged.
  }
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
  if (result.status !== "refused") return { answer, isAccepted: true, inputTokens: () => readInputTokens(chunks) };
  const { verdict, body } = result;
  const discard = async () => void message.destroy();
  return { answer, isAccepted: false, refusal: { verdict, status, body }, discard };
}
