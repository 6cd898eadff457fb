/** What an accepted request weighed, as far as the answer to it has said so by now. */
import { framesOf } from "../classify/channel.ts";
import { type Fields, fieldsOf } from "../dialects/dialect.ts";

/** The input tokens that a whole answer, or the beginning of a stream, names. */
export function inputTokensIn(held: readonly Uint8Array[]): number | undefined {
  const frames = framesOf(Buffer.concat(held).toString("utf8")).map(fieldsOf);
  return frames.map(inputTokensOf).find((tokens) => tokens !== undefined);
}

/** In the words of any dialect; what was read from a cache went in as well. */
function inputTokensOf({ usage, usageMetadata, message, response }: Fields): number | undefined {
  const { promptTokenCount } = fieldsOf(usageMetadata);
  const counts = [usage, fieldsOf(message).usage, fieldsOf(response).usage].map(fieldsOf);
  const counted = counts.map(({ prompt_tokens, input_tokens, cache_read_input_tokens, cache_creation_input_tokens }) =>
    sum([prompt_tokens ?? input_tokens, cache_read_input_tokens, cache_creation_input_tokens]),
  );
  return [sum([promptTokenCount]), ...counted].find((tokens) => tokens > 0);
}

const sum = (values: readonly unknown[]): number =>
  values.reduce<number>((total, value) => total + (typeof value === "number" ? value : 0), 0);
