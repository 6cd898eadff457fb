/** How embeddings services are asked, and how they answer: one row for each form, chosen by the service's address. */
import { isRecord } from "./shape.ts";

/** A form of request and answer. */
export type EmbedDialect = {
  readonly name: string;
  /** Whether the address is one of this form. */
  fits(path: string): boolean;
  /** Texts that one request may carry. */
  readonly mostTexts: number;
  request(model: string, texts: readonly string[]): object;
  /** The vectors in the order of the texts, as far as the answer has the right form; what is in them is judged later. */
  vectors(answer: unknown): unknown[];
};

const ollama: EmbedDialect = {
  name: "ollama",
  fits: (path) => path.endsWith("/api/embed"),
  mostTexts: Infinity,
  request: (model, texts) => ({ model, input: texts }),
  vectors: (answer) => listIn(answer, "embeddings"),
};

/** Ollama before 0.3: one text at a time. */
const olderOllama: EmbedDialect = {
  name: "ollama-older",
  fits: (path) => path.endsWith("/api/embeddings"),
  mostTexts: 1,
  request: (model, texts) => ({ model, prompt: texts[0] ?? "" }),
  vectors: (answer) => (isRecord(answer) ? [answer.embedding] : []),
};

const openai: EmbedDialect = {
  name: "openai",
  fits: () => true,
  mostTexts: Infinity,
  request: (model, texts) => ({ model, input: texts, encoding_format: "float" }),
  vectors: (answer) =>
    listIn(answer, "data")
      .filter(isRecord)
      .sort((one, other) => Number(one.index) - Number(other.index))
      .map(({ embedding }) => embedding),
};

function listIn(answer: unknown, key: string): unknown[] {
  const list = isRecord(answer) ? answer[key] : undefined;
  return Array.isArray(list) ? list : [];
}

/** The first that fits is taken. */
export const embedDialects: readonly EmbedDialect[] = [ollama, olderOllama, openai];
