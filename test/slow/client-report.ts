/** Judges and measures what a real client's model received. */
import tokenizer from "llama3-tokenizer-js";
import type { ResultLimit } from "../../src/config/clients.ts";
import { findOffset, isOurReply, isOurTool, type SeenRequest } from "./client-model.ts";

/** A line of the long file, without its line end. All have the same length, so that offsets tell lines. */
export const sampleLine = (number: number): string =>
  `sample ${String(number).padStart(5, "0")}: water flows over the weir.`;
const LINE_CHARS = sampleLine(1).length + 1;
const SAMPLE_LINES = 4_000;

/** A file that is longer than the limit of every client. */
export const writeSample = (): string =>
  Array.from({ length: SAMPLE_LINES }, (_, index) => sampleLine(index + 1)).join("\n");

/** The sizes of a run in tokens. */
export type ClientMeasures = {
  /** Definitions of our tools that the model has before it asks for any. */
  readonly listed: number;
  /** Those that it has at the end, in its list or in the results of its searches. */
  readonly loaded: number;
  /** How often it had to search for a tool. */
  readonly searches: number;
  readonly short: number;
  readonly long: number;
  /** Lines of the long file that the first reply showed to it, without a gap. */
  readonly lines: number;
};

/** The replies that the model has seen at the end of the run, in order: the short file, the long one, the next part. */
function findReplies(requests: readonly SeenRequest[]): readonly string[] {
  return requests.at(-1)?.results.filter(isOurReply) ?? [];
}

/** Everything that a model would suffer from; empty if the client shows our replies as they are meant. */
export function findFaults(requests: readonly SeenRequest[], limit: ResultLimit): string[] {
  const [short, long, next] = findReplies(requests);
  if (short === undefined || long === undefined) return ["the model did not get both files"];
  const [shown, read] = [listLines(long), listLines(next ?? "")];
  const last = shown.at(-1) ?? 0;
  const offset = findOffset(long);
  const offsetLine = offset === undefined ? undefined : Math.floor(offset / LINE_CHARS);
  return [
    ...(short.split("A weir is a barrier").length > 2 || hasRepeats(shown) || hasRepeats(read)
      ? ["content arrives twice"]
      : []),
    ...(hasGaps(shown) || hasGaps(read) || shown[0] !== 1 ? ["the client removed the middle of a reply"] : []),
    ...([short, long, next ?? ""].some((reply) => isOver(reply, limit)) ? ["a reply is over the client's limit"] : []),
    ...(offsetLine === undefined || Math.abs(offsetLine - last) > 1
      ? ["the next offset is not where the text ends"]
      : []),
    ...(read[0] !== last + 1 && read[0] !== last + 2 ? ["the next call does not continue there"] : []), // One line may be cut in two.
  ];
}

/** The numbers of the whole sample lines in a reply. */
const listLines = (reply: string): number[] =>
  [...reply.matchAll(/sample (\d{5}): water flows over the weir\./g)].map(([, number]) => Number(number));

const hasRepeats = (numbers: readonly number[]): boolean => new Set(numbers).size < numbers.length;

const hasGaps = (numbers: readonly number[]): boolean =>
  numbers.some((number, index) => index > 0 && number > (numbers[index - 1] ?? 0) + 1);

/** Whether a reply is over what the client takes. */
export function isOver(reply: string, { chars = Infinity, bytes = Infinity, lines = Infinity }: ResultLimit): boolean {
  return reply.length > chars || Buffer.byteLength(reply) > bytes || reply.split("\n").length > lines;
}

/** The sizes of a run, counted with a real tokenizer. */
export function measureRun(requests: readonly SeenRequest[]): ClientMeasures {
  const [short = "", long = ""] = findReplies(requests);
  const definitions = requests.map(({ tools }) =>
    tools.filter(({ name }) => isOurTool(name)).map(({ definition }) => definition),
  );
  const found = requests.at(-1)?.results.filter((result) => isOurTool(result) && !isOurReply(result)) ?? [];
  const shown = listLines(long);
  const end = shown.findIndex((number, index) => number !== index + 1);
  return {
    listed: countTokens(definitions[0]?.join("\n") ?? ""),
    loaded: countTokens([...(definitions.at(-1) ?? []), ...found].join("\n")),
    searches: requests.length - 1 - findReplies(requests).length,
    short: countTokens(short),
    long: countTokens(long),
    lines: end === -1 ? shown.length : end,
  };
}

const countTokens = (text: string): number =>
  text === "" ? 0 : tokenizer.encode(text, { bos: false, eos: false }).length;
