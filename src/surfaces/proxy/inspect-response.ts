/** The first look at what an upstream answers: enough of it is read to know a refusal, and nothing is lost by looking. */
import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { classify } from "../../overflow/classify/classify.ts";
import type { Sent } from "../../overflow/exchange.ts";
import { type FirstLook, firstLook, type Look } from "../../overflow/wire/refusal-scanner.ts";
import { inputTokensIn } from "../../overflow/wire/token-usage.ts";
import { readUntil } from "./read-body.ts";

/** An upstream's answer, with what was already read of its body. */
export type Answer = { readonly message: IncomingMessage; readonly held: readonly Buffer[]; readonly ended: boolean };

/** What an error may weigh and still be read. */
const mostErrorBytes = 1024 * 1024;

/** The answer with the refusal in it, if it holds one. */
export async function seen(message: IncomingMessage): Promise<Sent<Answer>> {
  const { statusCode: status = 502, headers } = message;
  const type = headers["content-type"] ?? "";
  const encoding = headers["content-encoding"] ?? "identity";
  if (status >= 400) return seenError(message, status, encoding);
  const looking = encoding === "identity" ? firstLook(type) : undefined;
  if (looking === undefined) return { answer: { message, held: [], ended: false }, accepted: true };
  return seenSuccess(message, status, looking);
}

async function seenError(message: IncomingMessage, status: number, encoding: string): Promise<Sent<Answer>> {
  const { held, ended } = await readError(message);
  const body = decoded(Buffer.concat(held), encoding).toString("utf8");
  const headers = Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, value?.toString()]));
  const refusal = { verdict: classify({ status, headers, body }), status, body };
  return { answer: { message, held, ended }, accepted: false, refusal };
}

const decoders: Readonly<Record<string, typeof gunzipSync | typeof brotliDecompressSync>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** The bytes of an error as they are read, or none where its encoding is unknown or broken. */
function decoded(bytes: Buffer, encoding: string): Buffer {
  if (encoding === "identity") return bytes;
  try {
    return decoders[encoding]?.(bytes, { maxOutputLength: mostErrorBytes }) ?? Buffer.alloc(0);
  } catch {
    return Buffer.alloc(0); // It is handed on as it came.
  }
}

async function readError(message: IncomingMessage): Promise<{ held: readonly Buffer[]; ended: boolean }> {
  const held: Buffer[] = [];
  try {
    const { ended } = await readUntil(message, (chunk, bytes) => {
      held.push(chunk);
      return bytes > mostErrorBytes;
    });
    return { held, ended };
  } catch {
    // An upstream that refuses a body it has not read may hang up in the middle of saying so: what it said counts.
    return { held, ended: true };
  }
}

/** Held until the first event that means something; the client would have waited for the same event. */
async function seenSuccess(message: IncomingMessage, status: number, { look, end }: Look): Promise<Sent<Answer>> {
  let found: FirstLook = { is: "open" };
  const { chunks: held, ended } = await readUntil(message, (chunk) => {
    found = look(chunk);
    return found.is !== "open";
  });
  if (ended) found = end();
  const answer = { message, held, ended };
  if (found.is !== "refused") return { answer, accepted: true, inputTokens: () => inputTokensIn(held) };
  const { verdict, body } = found;
  const discard = async () => void message.destroy();
  return { answer, accepted: false, refusal: { verdict, status, body }, discard };
}
