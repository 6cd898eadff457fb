/** The APIs of embeddings services: the form of requests and responses. One entry for each, chosen by the service's address. */
import { isRecord } from "../../system/json-values.ts";

/** The form of requests to a service and of its responses. */
type EmbeddingApi = {
  readonly name: string;
  /** Whether an address with this path belongs to this API. */
  fits(path: string): boolean;
  /** Texts that one request may carry. */
  readonly maxTexts: number;
  request(model: string, texts: readonly string[]): object;
  /** The vectors in the order of the texts, as far as the response has the right form; the caller checks what is in them. */
  vectors(response: unknown): unknown[];
};

const ollama: EmbeddingApi = {
  name: "ollama",
  fits: (path) => path.endsWith("/api/embed"),
  maxTexts: Infinity,
  request: (model, texts) => ({ model, input: texts }),
  vectors: (response) => listIn(response, "embeddings"),
};

/** Ollama before 0.3: one text at a time. */
const olderOllama: EmbeddingApi = {
  name: "ollama-older",
  fits: (path) => path.endsWith("/api/embeddings"),
  maxTexts: 1,
  request: (model, texts) => ({ model, prompt: texts[0] ?? "" }),
  vectors: (response) => (isRecord(response) ? [response.embedding] : []),
};

const openai: EmbeddingApi = {
  name: "openai",
  fits: () => true,
  maxTexts: Infinity,
  request: (model, texts) => ({ model, input: texts, encoding_format: "float" }),
  vectors: (response) =>
    listIn(response, "data")
      .filter(isRecord)
      .sort((one, other) => Number(one.index) - Number(other.index))
      .map(({ embedding }) => embedding),
};

function listIn(response: unknown, key: string): unknown[] {
  const list = isRecord(response) ? response[key] : undefined;
  return Array.isArray(list) ? list : [];
}

/** Every API. The first that fits the address is used. */
export const embeddingApis: readonly EmbeddingApi[] = [ollama, olderOllama, openai];
