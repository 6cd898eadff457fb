/** Reads the numbers of an error: which is the limit, which the size, of what, in which unit, and which are neither. */
import { type Role, roleOf } from "./number-roles.ts";
import type { Report } from "./reports.ts";
import type { Figures, LimitUnit } from "./verdict.ts";

/** A number in a sentence with what was read around it. */
type Found = {
  readonly value: number;
  readonly role: Role;
  readonly unit: LimitUnit | undefined;
  readonly bare: boolean;
  readonly atLeast: boolean;
};

/** The figures of a report; `status` and the report's codes are numbers too and never sizes. */
export function figuresOf(report: Report, status: number | undefined): Figures {
  const codes = new Set([...report.codes.map(Number), status ?? -1]);
  const fields = [...report.fields].filter(([name]) =>
    /tokens|ctx|limit|max|actual|requested|context|length|size/i.test(name),
  );
  const code = report.fields.get("code") ?? report.fields.get("status_code");
  if (code !== undefined) codes.add(code);
  const texts = [...report.messages, fields.map(([name, value]) => `${fieldWords(name)}: ${value}`).join("; ")];
  const figures = texts.map((text) => combine(numbersIn(text, status).filter(isSize), text));
  return figures.toSorted((one, other) => known(other) - known(one))[0] ?? {};

  function isSize({ value, unit }: Found): boolean {
    return unit !== undefined || !codes.has(value);
  }
}

/** How much a message tells: both numbers, the limit, the size, nothing. */
function known({ limit, actual }: Figures): number {
  return (limit === undefined ? 0 : 2) + (actual === undefined ? 0 : 1);
}

const fieldWords = (name: string): string => (/ctx|limit|max/i.test(name) ? `limit ${name}` : name);

/** Digits that are a word of their own: not part of a model's name, a version, a date, an id or an address. */
const numberForm =
  /(?<![\w.\-/#'"@]|\d,)-?\d{1,3}(?:[,_]\d{3})+(?![\w-])(?:\.\d+)?|(?<![\w.\-/#@[]|\d[,:])-?\d+(?:\.\d+)?(?=\s?[kmg]i?b\b|px\b|k\b|(?:chars?|tokens?|bytes?)\b|\b)(?!-(?!token|byte|char)\w|\w+-\w|:\d|%|\/\d|(?:\.\d)|(?:ms|s|m|h)\b)/gi;

/** An error that names more is not explaining a limit. */
const mostNumbers = 64;
const longestText = 16_384;

/** `llmRequest.h:222`: where in its program a server gave up. */
const sourceLine = /(?<=\.(?:py|hp?p?|cc?|cpp|cu|go|rs|[jt]s|java|rb|swift|kt|cs|php|zig|lua)):\d+(?::\d+)?/g;

function numbersIn(text: string, status: number | undefined): Found[] {
  const clean = withoutStatus(text.slice(0, longestText), status)
    .replace(/\bhttps?:\/\/\S+/g, " ")
    .replace(sourceLine, " ")
    .replace(/[*]/g, "")
    .replace(/(?<![\d,])(\d[\d,]{2,12}) ?\/ ?(\d[\d,]{2,12})(?= ?\)| (?:\w{1,20} )?tokens)/g, "$1 > $2")
    .replace(/\b(is|of|was|has)(?=\d{3})/g, "$1 ")
    .replace(/\[(\d+),(\d+)\]/g, "[$1, $2]");
  let previousEnd = 0;
  return [...clean.matchAll(numberForm).take(mostNumbers)].flatMap((match) => {
    const end = match.index + match[0].length;
    const before = clean.slice(Math.max(0, match.index - 160), match.index);
    const segment = clean.slice(Math.max(previousEnd, match.index - 160), match.index);
    const after = clean.slice(end, end + 60);
    previousEnd = end;
    const scale = scaleOf(after);
    const value = Number(match[0].replace(/[,_]/g, "")) * scale.factor;
    if (!Number.isInteger(value)) return [];
    const role = roleOf(before, segment, after.slice(scale.width));
    const bare = /\(\s*$/.test(before) && /^\s*\)/.test(after);
    const atLeast = /\b(?:at least|more than)\s*$/i.test(before) && role !== "limit";
    return [{ value, role, unit: scale.unit ?? unitOf(before, after), bare, atLeast }];
  });
}

/** `400 prompt token count of 146270`: clients put the status before the message. */
function withoutStatus(text: string, status: number | undefined): string {
  const opened = text.replace(/^\W*[45]\d\d\b(?!,)/, " ");
  return status === undefined ? opened : opened.replace(new RegExp(`\\b${status}\\b(?=:? [A-Za-z<])`), " ");
}

/** `5 MB`, `20mb`, `128k`. Providers that say MB mean 1,048,576 bytes, as their own figures beside it show. */
function scaleOf(after: string): { factor: number; width: number; unit?: LimitUnit } {
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

function unitOf(before: string, after: string): LimitUnit | undefined {
  const said = unitsAfter.find(([, form]) => form.test(after))?.[0];
  if (said !== undefined) return said;
  if (/\bbytes\b[^\d]{0,24}$/i.test(before)) return "bytes";
  if (/\btokens(?: allowed| permitted)?\W{1,3}$/i.test(before)) return "tokens";
  return /\b(?:characters|chars)\b[^\d]{0,12}$/i.test(before) ? "chars" : undefined;
}

/** Puts the numbers together: a sum wins over its parts, and a limit must be below what exceeded it. */
function combine(numbers: readonly Found[], text: string): Figures {
  const sizes = numbers.filter(
    ({ role, unit }) => role !== "none" && role !== "unknown" && !(unit === "chars" && mentionsTokens(numbers)),
  );
  const valuesOf = (role: Role) => sizes.filter((one) => one.role === role).map(({ value }) => value);
  const limits = sizes.filter(({ role }) => role === "limit");
  const inputs = valuesOf("input");
  const output = valuesOf("output").find((value) => value >= 0);
  const input = inputs.length > 0 ? sum(inputs) : undefined;
  const exceeding = valuesOf("actual").findLast((value) => limits.some((limit) => value > limit.value));
  const size = exceeding ?? valuesOf("actual").findLast((value) => value > 0);
  const isUnsaid = size === undefined && input === undefined && valuesOf("total").length === 0;
  const pair = isUnsaid ? twoLimits(limits) : undefined;
  const said = pair?.limit ?? limitAmong(limits, [...valuesOf("actual"), ...valuesOf("total")], numbers);
  const stated =
    valuesOf("total")[0] ?? size ?? pair?.actual ?? (input === undefined ? larger(numbers, said) : undefined);
  const limit = said ?? smaller(numbers, stated);
  const lowerBound = sizes.some(({ atLeast }) => atLeast);
  const unit = limit?.unit ?? sizes.find((one) => one.unit)?.unit;
  return defined({
    limit: limit?.value,
    actual:
      stated === undefined && lowerBound ? undefined : actualOf({ input, output, stated, limit: limit?.value }, unit),
    input: input ?? (output === undefined && valuesOf("total").length === 0 ? stated : undefined),
    output,
    unit: rateUnit(text) ?? unit,
    lowerBound: lowerBound ? true : undefined,
  });
}

/** `exceeds the window: 5000 tokens (limit: 4096)`: of two that read like limits the larger one is the size. */
function twoLimits(limits: readonly Found[]): { readonly limit: Found; readonly actual: number } | undefined {
  const [limit, actual, ...more] = limits
    .filter(({ value }) => value > 0)
    .toSorted((one, other) => one.value - other.value);
  if (limit === undefined || actual === undefined || more.length > 0 || actual.value === limit.value) return undefined;
  return { limit, actual: actual.value };
}

/** What exceeded a known limit can only be the number that is larger, and the limit of a known size the smaller one. */
function larger(numbers: readonly Found[], limit: Found | undefined): number | undefined {
  return limit && numbers.find(({ role, value }) => role === "unknown" && value > limit.value)?.value;
}

function smaller(numbers: readonly Found[], actual: number | undefined): Found | undefined {
  const leastLimit = 256;
  if (actual === undefined) return undefined;
  return numbers.find(({ role, value }) => role === "unknown" && value < actual && value >= leastLimit);
}

const mentionsTokens = (numbers: readonly Found[]): boolean => numbers.some(({ unit }) => unit === "tokens");

type Parts = {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly stated: number | undefined;
  readonly limit: number | undefined;
};

function actualOf({ input, output, stated, limit }: Parts, unit: LimitUnit | undefined): number | undefined {
  // `your messages resulted in 1021 tokens and max_tokens is 2048`: what fits by itself was added to the output.
  if (stated !== undefined && output !== undefined && limit !== undefined && stated < limit && stated + output > limit)
    return stated + output;
  if (stated !== undefined) return stated;
  if (input !== undefined && output !== undefined) return input + output;
  return input ?? (unit === "chars" ? undefined : output);
}

/** The last limit a message repeats is as good as the first; one that nothing exceeds is a code or a count. */
function limitAmong(limits: readonly Found[], actuals: readonly number[], all: readonly Found[]): Found | undefined {
  const exact = limits.filter(({ value }) => value > 0);
  // `context window exceeds limit (2013)`: a lone number in brackets, without a unit, is an error code.
  if (all.length === 1 && exact[0]?.bare && exact[0].unit === undefined) return undefined;
  const precise = exact.filter(({ value }) => actuals.some((actual) => actual > value));
  return precise.at(-1) ?? exact[0];
}

function rateUnit(text: string): LimitUnit | undefined {
  if (/tokens? per min|\bTPM\b/i.test(text)) return "tokens_per_min";
  if (/tokens? per day|\bTPD\b/i.test(text)) return "tokens_per_day";
  return /requests? per min|\bRPM\b/i.test(text) ? "requests_per_min" : undefined;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Without the fields that are not known. */
function defined(figures: { [K in keyof Figures]: Figures[K] | undefined }): Figures {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
}
