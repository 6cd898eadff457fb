/** The input tokens that a provider counted, as far as its response has reported them. */
import { parseFrames } from "../classify/channel.ts";
import { type JsonFields, toFields } from "../dialects/dialect.ts";

/** The input tokens that a whole response, or the beginning of a stream, reports. */
export function readInputTokens(chunks: readonly Uint8Array[]): number | undefined {
  const frames = parseFrames(Buffer.concat(chunks).toString("utf8")).map(toFields);
  return frames.map(inputTokensOf).find((tokens) => tokens !== undefined);
}

/** By the field names of any dialect. Tokens that were read from a cache are input too. */
function inputTokensOf({ usage, usageMetadata, message, response }: JsonFields): number | undefined {
  const { promptTokenCount } = toFields(usageMetadata);
  const counts = [usage, toFields(message).usage, toFields(response).usage].map(toFields);
  const sums = counts.map(({ prompt_tokens, input_tokens, cache_read_input_tokens, cache_creation_input_tokens }) =>
    sum([prompt_tokens ?? input_tokens, cache_read_input_tokens, cache_creation_input_tokens]),
  );
  return [sum([promptTokenCount]), ...sums].find((tokens) => tokens > 0);
}

/** Usage is at the end of a stream's last event, which may be large. */
const TAIL_CHARS = 4_096;

/** Follows a stream and reads the input tokens that its end reports. */
export type UsageTail = { push(chunk: Uint8Array): void; read(): number | undefined };

/** Holds no more of the stream than its last characters. */
export function createUsageTail(): UsageTail {
  let tail = "";
  return {
    push(chunk) {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
      tail = (tail + text.slice(-TAIL_CHARS)).slice(-TAIL_CHARS);
    },
    read() {
      const counts = [...tail.matchAll(inputCount)].map(([, name = "", tokens]): [string, number] => [
        name,
        Number(tokens),
      ]);
      // The last count of a name is the final one. Tokens that were read from a cache are input too.
      const total = sum([...new Map(counts).values()]);
      return total > 0 ? total : undefined;
    },
  };
}

/** A count in the stream's own JSON. Inside a text the quotes would be escaped. */
const inputCount =
  /(?<!\\)"((?:prompt|input|cache_read_input|cache_creation_input)_tokens|promptTokenCount)"\s*:\s*(\d+)/g;

const sum = (values: readonly unknown[]): number =>
  values.reduce<number>((total, value) => total + (typeof value === "number" ? value : 0), 0);
