/** The first look at what an upstream answers: enough of it is read to know a refusal, and nothing is lost by looking. */
import type { IncomingMessage } from "node:http";
import { classify } from "../../overflow/classify.ts";
import type { Sent } from "../../overflow/exchange.ts";
import { firstLook, refusalInside } from "../../overflow/stream.ts";

/** An upstream's answer, with what was already read of its body. */
export type Answer = { readonly message: IncomingMessage; readonly held: readonly Buffer[]; readonly ended: boolean };

/** What an error may weigh and still be read, and a JSON answer that is looked at whole. */
const mostErrorBytes = 1024 * 1024;
const mostAnswerBytes = 64 * 1024;

/** The answer with the refusal in it, if it holds one. */
export async function seen(message: IncomingMessage): Promise<Sent<Answer>> {
  const { statusCode: status = 502, headers } = message;
  const type = headers["content-type"] ?? "";
  const encoded = (headers["content-encoding"] ?? "identity") !== "identity";
  if (encoded) return { answer: { message, held: [], ended: false }, accepted: status < 400 };
  if (status >= 400) return seenError(message, status);
  if (type.startsWith("text/event-stream")) return seenStream(message, status);
  if (type.includes("json")) return seenAnswer(message, status);
  return { answer: { message, held: [], ended: false }, accepted: true };
}

async function seenError(message: IncomingMessage, status: number): Promise<Sent<Answer>> {
  const { held, ended } = await readUpTo(message, mostErrorBytes);
  const body = Buffer.concat(held).toString("utf8");
  const refusal = { verdict: classify({ status, body }), status, body };
  return { answer: { message, held, ended }, accepted: false, refusal };
}

async function seenAnswer(message: IncomingMessage, status: number): Promise<Sent<Answer>> {
  const { held, ended } = await readUpTo(message, mostAnswerBytes);
  const refusal = ended ? refusalInside(Buffer.concat(held).toString("utf8"), status) : undefined;
  return { answer: { message, held, ended }, accepted: refusal === undefined, ...(refusal ? { refusal } : {}) };
}

async function readUpTo(message: IncomingMessage, mostBytes: number): Promise<{ held: Buffer[]; ended: boolean }> {
  const held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes) return { held, ended: false };
  }
  return { held, ended: true };
}

/** Held until the first event that means something; the client would have waited for the same event. */
async function seenStream(message: IncomingMessage, status: number): Promise<Sent<Answer>> {
  const { look } = firstLook();
  const held: Buffer[] = [];
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    held.push(chunk);
    const found = look(chunk);
    if (found.is === "open") continue;
    const answer = { message, held, ended: false };
    if (found.is === "fine") return { answer, accepted: true };
    const refusal = { verdict: found.verdict, status, body: found.body };
    return { answer, accepted: false, refusal, discard: async () => void message.destroy() };
  }
  return { answer: { message, held, ended: true }, accepted: true };
}
