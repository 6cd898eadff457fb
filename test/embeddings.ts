/** An embeddings service on loopback: its vectors are hashes of words, and a few words have the same meaning. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { startServer } from "./server.ts";

const sameMeaning: Readonly<Record<string, string>> = { barrage: "weir", dam: "weir", invoice: "bill" };

/** The vector that the service gives for a text. */
export function hashedVector(text: string, dimensions = 64): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const digest = createHash("sha256")
      .update(sameMeaning[word] ?? word)
      .digest();
    const index = digest.readUInt32LE(0) % dimensions;
    vector[index] = (vector[index] ?? 0) + (digest.readInt8(4) < 0 ? -1 : 1);
  }
  return vector;
}

/** The body of a request, in any of the APIs. */
type EmbeddingInput = { readonly model: string; readonly input?: readonly string[]; readonly prompt?: string };

/** Answers in the API of the request's path. `override` may answer instead and then returns true. */
export async function startEmbeddings() {
  const inputs: EmbeddingInput[] = [];
  const service = {
    inputs,
    dimensions: 64,
    override: undefined as ((response: ServerResponse, input: EmbeddingInput) => boolean) | undefined,
  };
  const server = await startServer(async (request: IncomingMessage, response: ServerResponse) => {
    const input: EmbeddingInput = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
    inputs.push(input);
    if (service.override?.(response, input)) return;
    const vectors = (input.input ?? []).map((text) => hashedVector(text, service.dimensions));
    const answer = request.url?.endsWith("/api/embed")
      ? { embeddings: vectors }
      : request.url?.endsWith("/api/embeddings")
        ? { embedding: hashedVector(input.prompt ?? "", service.dimensions) }
        : { data: vectors.map((embedding, index) => ({ index, embedding })).reverse() };
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
  return Object.assign(service, server);
}
