/** The embeddings service that the settings name: texts in, vectors out, bounded, and nothing believed unseen. */
import { SpillwayError } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import { clip } from "../../system/safe-names.ts";
import { embedDialects } from "./embedding-apis.ts";

/** Makes vectors of texts. */
export type EmbedService = {
  readonly model: string;
  /** One vector for each text, all of the same length. Throws where that cannot be had. */
  embed(texts: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Float32Array[]>;
};

/** A number as JSON takes so many bytes at most, and a vector has no more numbers than this. */
const bytesPerNumber = 32;
const longestVector = 4_096;
/** A chunk is shorter; whatever is longer says no more by its rest. */
const longestText = 4_000;

/** The service, or null where none is named. An address that is none is an error. */
export function embedServiceOf({ settings, network }: Session): EmbedService | null {
  const { "search.embed_url": address, "search.embed_model": model, "search.embed_batch": batch } = settings;
  if (address === null || model === null) return null;
  const url = requireAddress(address);
  const dialect = embedDialects.find(({ fits }) => fits(url.pathname)) ?? unknownDialect();
  const mostTexts = Math.min(batch, dialect.mostTexts);

  async function embedSome(texts: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Float32Array[]> {
    const json = JSON.stringify(dialect.request(model ?? "", texts));
    const maxBytes = (texts.length + 1) * longestVector * bytesPerNumber;
    const answer = await network?.post(url, { json, timeoutMs, maxBytes, signal });
    const vectors = dialect.vectors(parsed(answer ?? "")).map(vectorOf);
    if (vectors.length !== texts.length) throw unusable(url, `${vectors.length} vectors for ${texts.length} texts`);
    return vectors.map((vector) => vector ?? refuse(url, "a vector is no list of numbers"));
  }

  async function embed(texts: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += mostTexts) {
      const some = texts.slice(at, at + mostTexts).map((text) => text.slice(0, longestText).toWellFormed());
      vectors.push(...(await embedSome(some, timeoutMs, signal)));
    }
    const lengths = new Set(vectors.map(({ length }) => length));
    return lengths.size <= 1 ? vectors : refuse(url, "its vectors differ in length");
  }
  return { model, embed };
}

function unknownDialect(): never {
  throw new RangeError("The last dialect fits every address.");
}

function requireAddress(address: string): URL {
  const url = URL.parse(address);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url;
  throw new SpillwayError("config_invalid", `search.embed_url is no address of a service: ${clip(address)}.`, {
    hint: "Write it as http://127.0.0.1:11434/api/embed or https://host/v1/embeddings; keys go into network.headers.",
  });
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined; // What is no JSON has no vectors, and that is what is said of it.
  }
}

function vectorOf(given: unknown): Float32Array | undefined {
  if (!Array.isArray(given) || given.length === 0 || given.length > longestVector) return undefined;
  const vector = Float32Array.from(given, (number) => (typeof number === "number" ? number : Number.NaN));
  return vector.every(Number.isFinite) ? vector : undefined;
}

function refuse(url: URL, why: string): never {
  throw unusable(url, why);
}

function unusable({ host }: URL, why: string): SpillwayError {
  return new SpillwayError("response_invalid", `The embeddings of ${clip(host)} cannot be used: ${why}.`, {
    hint: "Check search.embed_url and search.embed_model.",
  });
}
