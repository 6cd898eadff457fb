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

const sum = (values: readonly unknown[]): number =>
  values.reduce<number>((total, value) => total + (typeof value === "number" ? value : 0), 0);
