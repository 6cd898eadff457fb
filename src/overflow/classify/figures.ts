/** Reads the numbers of an error: the limit, the size that exceeded it, their unit, and which numbers are neither. */
import { applyRepairs, MAX_MESSAGE_CHARS, type Repair, removeUrls, separateNumbers } from "./message-text.ts";
import { findRole, type Role } from "./number-roles.ts";
import type { Report } from "./reports.ts";
import type { Figures, LimitUnit } from "./verdict.ts";

/** A number in a message with what its surroundings say about it. */
type MessageNumber = {
  readonly value: number;
  readonly role: Role;
  readonly unit: LimitUnit | undefined;
  /** The number is alone in brackets. */
  readonly isBracketed: boolean;
  /** The message says "at least". */
  readonly isLowerBound: boolean;
};

/** The figures of a report. Its `status` and its numeric codes are never sizes. */
export function readFigures(report: Report, status: number | undefined): Figures {
  const codes = new Set([...report.codes.map(Number), status ?? -1]);
  const code = report.fields.get("code") ?? report.fields.get("status_code");
  if (code !== undefined) codes.add(code);
  const isSize = ({ value, unit }: MessageNumber): boolean => unit !== undefined || !codes.has(value);
  const figures = [...report.messages, sizeFieldsAsText(report)].map((text) =>
    combine(readNumbers(text, status).filter(isSize), text),
  );
  return figures.toSorted((one, other) => scoreFigures(other) - scoreFigures(one))[0] ?? {};
}

/** Numeric fields that sound like sizes, written as a sentence. */
function sizeFieldsAsText({ fields }: Report): string {
  return [...fields]
    .filter(([name]) => /tokens|ctx|limit|max|actual|requested|context|length|size/i.test(name))
    .map(([name, value]) => `${/ctx|limit|max/i.test(name) ? `limit ${name}` : name}: ${value}`)
    .join("; ");
}

/** A message with both numbers is worth most, then one with a limit, then one with a size. */
function scoreFigures({ limit, actual }: Figures): number {
  return (limit === undefined ? 0 : 2) + (actual === undefined ? 0 : 1);
}

/** Digits that are a separate word: not part of a model's name, a version, a date, an id or an address. */
const numberPattern =
  /(?<![\w.\-/#'"@]|\d,)-?\d{1,3}(?:[,_]\d{3})+(?![\w-])(?:\.\d+)?|(?<![\w.\-/#@[]|\d[,:])-?\d+(?:\.\d+)?(?=\s?[kmg]i?b\b|px\b|k\b|(?:chars?|tokens?|bytes?)\b|\b)(?!-(?!token|byte|char)\w|\w+-\w|:\d|%|\/\d|(?:\.\d)|(?:ms|s|m|h)\b)/gi;

/** A message with more numbers does not explain a limit. */
const MAX_NUMBERS = 64;
const MAX_CHARS_BEFORE = 160;
const MAX_CHARS_AFTER = 60;

const repairs: readonly Repair[] = [
  removeUrls,
  [/[*]/g, ""],
  // `9000/8192 tokens`: a size and its limit.
  [/(?<![\d,])(\d[\d,]{2,12}) ?\/ ?(\d[\d,]{2,12})(?= ?\)| (?:\w{1,20} )?tokens)/g, "$1 > $2"],
  separateNumbers,
  // `[1,8192]` is a range and not one number with a thousands separator.
  [/\[(\d+),(\d+)\]/g, "[$1, $2]"],
];

function readNumbers(message: string, status: number | undefined): MessageNumber[] {
  const text = applyRepairs(removeStatus(message.slice(0, MAX_MESSAGE_CHARS), status), repairs);
  let previousEnd = 0;
  return [...text.matchAll(numberPattern).take(MAX_NUMBERS)].flatMap(({ index, 0: digits }) => {
    const end = index + digits.length;
    const before = text.slice(Math.max(0, index - MAX_CHARS_BEFORE), index);
    const sincePrevious = text.slice(Math.max(previousEnd, index - MAX_CHARS_BEFORE), index);
    const after = text.slice(end, end + MAX_CHARS_AFTER);
    previousEnd = end;
    const scale = readScale(after);
    const value = Number(digits.replace(/[,_]/g, "")) * scale.factor;
    if (!Number.isInteger(value)) return [];
    const role = findRole(before, sincePrevious, after.slice(scale.width));
    const isBracketed = /\(\s*$/.test(before) && /^\s*\)/.test(after);
    const isLowerBound = /\b(?:at least|more than)\s*$/i.test(before) && role !== "limit";
    return [{ value, role, unit: scale.unit ?? findUnit(before, after), isBracketed, isLowerBound }];
  });
}

/** `400 prompt token count of 146270`: clients put the status before the message. */
function removeStatus(text: string, status: number | undefined): string {
  const message = text.replace(/^\W*[45]\d\d\b(?!,)/, " ");
  return status === undefined ? message : message.replace(new RegExp(`\\b${status}\\b(?=:? [A-Za-z<])`), " ");
}

/** `5 MB`, `20mb`, `128k`. Providers that say MB mean 1,048,576 bytes, as the exact figures beside it show. */
function readScale(after: string): { factor: number; width: number; unit?: LimitUnit } {
  const [size, letter = ""] = /^\s?([kmg])i?b\b|^\s?(?:([kmg])ega|kilo|giga)bytes?/i.exec(after) ?? [];
  if (size !== undefined)
    return { factor: 1024 ** ("kmg".indexOf(letter.toLowerCase()) + 1), width: size.length, unit: "bytes" };
  return /^k\b/i.test(after) ? { factor: 1000, width: 1 } : { factor: 1, width: 0 };
}

const unitsAfter: readonly [LimitUnit, RegExp][] = [
  ["tokens_per_min", /^\W*(?:input |output )?tokens? (?:per|\/) ?min/i],
  ["tokens_per_day", /^\W*(?:input |output )?tokens? (?:per|\/) ?day/i],
  ["requests_per_min", /^\W*requests? (?:per|\/) ?min/i],
  ["bytes", /^\W*bytes?\b/i],
  ["chars", /^\W*(?:characters?|chars?|字符)/i],
  ["pages", /^\W*(?:pdf )?pages?\b/i],
  ["pixels", /^\W*(?:pixels?\b|px\b)/i],
  ["count", /^\W*(?:images?|files?|documents?|items?|elements?|tools?)\b/i],
  [
    "tokens",
    /^\W*(?:[`'"]?(?:input|output|prompt|completion|context|total|max\w*|inputs)[`'"]?\s+)*(?:tokens?\b|トークン)/i,
  ],
];

function findUnit(before: string, after: string): LimitUnit | undefined {
  const unitAfter = unitsAfter.find(([, pattern]) => pattern.test(after))?.[0];
  if (unitAfter !== undefined) return unitAfter;
  if (/\bbytes\b[^\d]{0,24}$/i.test(before)) return "bytes";
  if (/\btokens(?: allowed| permitted)?\W{1,3}$/i.test(before)) return "tokens";
  return /\b(?:characters|chars)\b[^\d]{0,12}$/i.test(before) ? "chars" : undefined;
}

/** Combines the numbers of one message. A total takes precedence over its addends. */
function combine(numbers: readonly MessageNumber[], text: string): Figures {
  const countsTokens = numbers.some(({ unit }) => unit === "tokens");
  const sizes = numbers.filter(
    ({ role, unit }) => role !== "none" && role !== "unknown" && !(unit === "chars" && countsTokens),
  );
  const inputs = valuesOf(sizes, "input");
  const input = inputs.length > 0 ? sum(inputs) : undefined;
  const output = valuesOf(sizes, "output").find((value) => value >= 0);
  const { limit, stated } = findLimitAndSize(sizes, numbers, input);
  const unit = limit?.unit ?? sizes.find((one) => one.unit)?.unit;
  const isLowerBound = sizes.some((one) => one.isLowerBound);
  const actual = addUp({ input, output, stated, limit: limit?.value }, unit);
  const isOnlyInput = output === undefined && valuesOf(sizes, "total").length === 0;
  return omitUndefined({
    limit: limit?.value,
    actual: stated === undefined && isLowerBound ? undefined : actual,
    input: input ?? (isOnlyInput ? stated : undefined),
    output,
    unit: rateUnit(text) ?? unit,
    lowerBound: isLowerBound ? true : undefined,
  });
}

function valuesOf(sizes: readonly MessageNumber[], role: Role): number[] {
  return sizes.filter((one) => one.role === role).map(({ value }) => value);
}

type LimitAndSize = { readonly limit: MessageNumber | undefined; readonly stated: number | undefined };

/** The limit and the size that the message states. Where it names only one, a number without a role may be the other. */
function findLimitAndSize(
  sizes: readonly MessageNumber[],
  numbers: readonly MessageNumber[],
  input: number | undefined,
): LimitAndSize {
  const limits = sizes.filter(({ role }) => role === "limit");
  const [actuals, totals] = [valuesOf(sizes, "actual"), valuesOf(sizes, "total")];
  const size =
    actuals.findLast((value) => limits.some((limit) => value > limit.value)) ?? actuals.findLast((value) => value > 0);
  const hasSize = size !== undefined || input !== undefined || totals.length > 0;
  const pair = hasSize ? undefined : splitTwoLimits(limits);
  const limit = pair?.limit ?? chooseLimit(limits, [...actuals, ...totals], numbers);
  const larger = input === undefined ? findLarger(numbers, limit) : undefined;
  const stated = totals[0] ?? size ?? pair?.actual ?? larger;
  return { limit: limit ?? findSmaller(numbers, stated), stated };
}

/** `exceeds the window: 5000 tokens (limit: 4096)`: of two numbers that read like limits the larger one is the size. */
function splitTwoLimits(
  limits: readonly MessageNumber[],
): { readonly limit: MessageNumber; readonly actual: number } | undefined {
  const [limit, actual, ...more] = limits
    .filter(({ value }) => value > 0)
    .toSorted((one, other) => one.value - other.value);
  if (limit === undefined || actual === undefined || more.length > 0 || actual.value === limit.value) return undefined;
  return { limit, actual: actual.value };
}

/** Prefers the last limit that a size exceeds; without one, the first limit. */
function chooseLimit(
  limits: readonly MessageNumber[],
  actuals: readonly number[],
  numbers: readonly MessageNumber[],
): MessageNumber | undefined {
  const [first, ...others] = limits.filter(({ value }) => value > 0);
  if (first === undefined) return undefined;
  // `context window exceeds limit (2013)`: a lone number in brackets, without a unit, is an error code.
  if (numbers.length === 1 && first.isBracketed && first.unit === undefined) return undefined;
  return [first, ...others].findLast(({ value }) => actuals.some((actual) => actual > value)) ?? first;
}

/** What exceeded a known limit can only be a larger number. */
function findLarger(numbers: readonly MessageNumber[], limit: MessageNumber | undefined): number | undefined {
  return limit && numbers.find(({ role, value }) => role === "unknown" && value > limit.value)?.value;
}

/** A smaller number without a role is a count and not a limit. */
const MIN_UNNAMED_LIMIT = 256;

/** The limit that a known size exceeded can only be a smaller number. */
function findSmaller(numbers: readonly MessageNumber[], actual: number | undefined): MessageNumber | undefined {
  if (actual === undefined) return undefined;
  return numbers.find(({ role, value }) => role === "unknown" && value < actual && value >= MIN_UNNAMED_LIMIT);
}

type Addends = {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly stated: number | undefined;
  readonly limit: number | undefined;
};

function addUp({ input, output, stated, limit }: Addends, unit: LimitUnit | undefined): number | undefined {
  // `your messages resulted in 1021 tokens and max_tokens is 2048`: the input fits, but not together with the output.
  if (stated !== undefined && output !== undefined && limit !== undefined && stated < limit && stated + output > limit)
    return stated + output;
  if (stated !== undefined) return stated;
  if (input !== undefined && output !== undefined) return input + output;
  return input ?? (unit === "chars" ? undefined : output);
}

function rateUnit(text: string): LimitUnit | undefined {
  if (/tokens? per min|\bTPM\b/i.test(text)) return "tokens_per_min";
  if (/tokens? per day|\bTPD\b/i.test(text)) return "tokens_per_day";
  return /requests? per min|\bRPM\b/i.test(text) ? "requests_per_min" : undefined;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The figures that are known. */
export function omitUndefined(figures: { [K in keyof Figures]: Figures[K] | undefined }): Figures {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
}
