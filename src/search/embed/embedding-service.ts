/** Client of the embeddings service that the settings name: texts in, vectors out. Its answers are validated and bounded. */
import { SpillwayError } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import { clip } from "../../system/safe-names.ts";
import { embeddingApis } from "./embedding-apis.ts";

/** Makes vectors of texts. */
export type EmbeddingService = {
  readonly model: string;
  /** One vector for each text, all of the same length. Rejects where the service does not return them. */
  embed(texts: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Float32Array[]>;
};

/** A service that failed is not asked again for this long: it must not slow every search down. */
export const FAILURE_PAUSE_MS = 30_000;

/** The bytes that a number may take as JSON. */
const MAX_NUMBER_BYTES = 32;
const MAX_DIMENSIONS = 4_096;
/** A chunk is shorter; what follows in a longer query adds nothing. */
const MAX_TEXT_CHARS = 4_000;

/** The service, or null where none is named. Throws for an address that cannot be one. */
export function openEmbeddingService({ settings, network }: Session): EmbeddingService | null {
  const { "search.embed_url": address, "search.embed_model": model, "search.embed_batch": batch } = settings;
  if (address === null || model === null) return null;
  const url = parseAddress(address);
  const api = embeddingApis.find(({ fits }) => fits(url.pathname)) ?? throwNoApi();
  const maxTexts = Math.min(batch, api.maxTexts);

  async function embedBatch(texts: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Float32Array[]> {
    const json = JSON.stringify(api.request(model ?? "", texts));
    const maxBytes = (texts.length + 1) * MAX_DIMENSIONS * MAX_NUMBER_BYTES;
    const response = await network?.requestService(url, { json, timeoutMs, maxBytes, signal });
    const vectors = api.vectors(parseJson(response ?? "")).map(toVector);
    if (vectors.length !== texts.length) throw unusable(url, `${vectors.length} vectors for ${texts.length} texts`);
    return vectors.map((vector) => vector ?? throwUnusable(url, "a vector is not a list of numbers"));
  }

  async function embed(texts: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let first = 0; first < texts.length; first += maxTexts) {
      const batchTexts = texts
        .slice(first, first + maxTexts)
        .map((text) => text.slice(0, MAX_TEXT_CHARS).toWellFormed());
      vectors.push(...(await embedBatch(batchTexts, timeoutMs, signal)));
    }
    const lengths = new Set(vectors.map(({ length }) => length));
    return lengths.size <= 1 ? vectors : throwUnusable(url, "its vectors differ in length");
  }
  return { model, embed };
}

function throwNoApi(): never {
  throw new RangeError("The last API fits every address.");
}

function parseAddress(address: string): URL {
  const url = URL.parse(address);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url;
  throw new SpillwayError("config_invalid", `search.embed_url is not the address of a service: ${clip(address)}.`, {
    hint: "Write it as http://127.0.0.1:11434/api/embed or https://host/v1/embeddings; keys go into network.headers.",
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Reported as a response without vectors.
  }
}

function toVector(value: unknown): Float32Array | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_DIMENSIONS) return undefined;
  const vector = Float32Array.from(value, (number) => (typeof number === "number" ? number : Number.NaN));
  return vector.every(Number.isFinite) ? vector : undefined;
}

function throwUnusable(url: URL, reason: string): never {
  throw unusable(url, reason);
}

function unusable({ host }: URL, reason: string): SpillwayError {
  return new SpillwayError("response_invalid", `The embeddings of ${clip(host)} cannot be used: ${reason}.`, {
    hint: "Check search.embed_url and search.embed_model.",
  });
}
