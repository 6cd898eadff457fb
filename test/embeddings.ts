/** An embeddings service on loopback: deterministic vectors by hashed words, where a few words mean the same. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { startServer } from "./server.ts";

const sameMeaning: Readonly<Record<string, string>> = { barrage: "weir", dam: "weir", invoice: "bill" };

/** What the service makes of a text. */
export function hashedVector(text: string, dimensions = 64): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const digest = createHash("sha256")
      .update(sameMeaning[word] ?? word)
      .digest();
    const at = digest.readUInt32LE(0) % dimensions;
    vector[at] = (vector[at] ?? 0) + (digest.readInt8(4) < 0 ? -1 : 1);
  }
  return vector;
}

type Asked = { readonly model: string; readonly input?: readonly string[]; readonly prompt?: string };

/** Answers in the form of the path it is asked by; `mood` may answer in its place. */
export async function startEmbeddings() {
  const asked: Asked[] = [];
  const service = {
    asked,
    dimensions: 64,
    mood: undefined as ((response: ServerResponse, asked: Asked) => boolean) | undefined,
  };
  const server = await startServer(async (request: IncomingMessage, response: ServerResponse) => {
    const body: Asked = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
    asked.push(body);
    if (service.mood?.(response, body)) return;
    const vectors = (body.input ?? []).map((text) => hashedVector(text, service.dimensions));
    const answer = request.url?.endsWith("/api/embed")
      ? { embeddings: vectors }
      : request.url?.endsWith("/api/embeddings")
        ? { embedding: hashedVector(body.prompt ?? "", service.dimensions) }
        : { data: vectors.map((embedding, index) => ({ index, embedding })).reverse() };
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
  return Object.assign(service, server);
}
