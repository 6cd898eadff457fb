/** Reads the numbers of an error: which is the limit, which the size, of what, in which unit, and which are neither. */
import type { Report } from "./reports.ts";
import type { Figures, LimitUnit } from "./verdict.ts";

/** `unknown`: a number nothing was said about; the others may explain it. */
type Role = "limit" | "actual" | "total" | "input" | "output" | "none" | "unknown";

/** What stands right before and right after a number and settles its role alone. */
type Sign = { readonly role: Role; readonly before?: RegExp; readonly after?: RegExp; readonly example: string };

const signs: readonly Sign[] = [
  // Numbers that are no sizes at all.
  { role: "none", before: /\b(?:by|another|extra)\s*$/i, example: "exceeds the context by 186 tokens" },
  { role: "none", before: /\bbe at least\s*$/i, example: "max_tokens must be at least 1, got -5178." },
  { role: "none", after: /^\s*draft\b/i, example: "65673 tokens and 0 draft tokens" },
  {
    role: "none",
    before: /(?:\b(?:error|code|status|http|errno|version|line|attempt|value|id)|error)\s*[:=#]?\s*$/i,
    example: "Error code: 400",
  },
  // Arithmetic.
  { role: "input", after: /^\s*\+\s*\d/, example: "199759 + 8192 > 200000" },
  { role: "output", before: /\d\s*\+\s*$/, example: "199759 + 8192 > 200000" },
  { role: "none", before: /\d\s*-\s*$/, example: "64000 > 64001 - 24235" },
  { role: "none", after: /^\s*>\s*\d+\s*-\s*\d/, example: "64000 > 64001 - 24235" },
  { role: "none", after: /^\s*-\s*\d/, example: "64000 > 64001 - 24235" },
  {
    role: "limit",
    before: /\[\s*\d+\s*,\s*$/,
    after: /^\s*\]/,
    example: "Range of input length should be [1, 204800]",
  },
  { role: "none", after: /^\s*,\s*\d+\s*\]/, example: "Range of input length should be [1, 204800]" },
  {
    role: "limit",
    before: /\bbetween\s+\d+\s+and\s+$/i,
    example: "max_tokens must be between 1 and 8192, got 10000",
  },
  { role: "none", before: /\bbetween\s+$/i, example: "max_tokens must be between 1 and 8192, got 10000" },
  { role: "limit", before: /\bvs\.?\s*$/i, example: "larger than max (5000000 vs. 4194304)" },
  { role: "actual", after: /^\s*vs\b/i, example: "larger than max (5000000 vs. 4194304)" },
  { role: "limit", before: /(?:>=?|≥|<=?|≤)\s*(?:n_ctx\W*)?$/, example: "(n_keep: 13055>= n_ctx: 4096)" },
  { role: "actual", after: /^\)?\s*(?:tokens?|bytes)?\s*(?:>=?|≥)/, example: "200251 tokens > 200000 maximum" },
  { role: "total", before: /[\d)]\s*=\s*$/, example: "prompt_tokens (30000) + max_tokens (4096) = 34096" },
  {
    role: "actual",
    after:
      /^[\s)]*(?:tokens?\)?\s*|bytes\)?\s*)?(?:(?:exceed|surpass)(?:s|ed|es)?\s+[a-z]|(?:cannot|must not|may not) exceed)/i,
    example: "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
  },
  // A limit that is named after its number.
  {
    role: "limit",
    after: /^[\s-]*(?:tokens?\s+|bytes\s+)?(?:max(?:imum)?|limit|allowed)\b/i,
    example: "200251 tokens > 200000 maximum",
  },
];

/** Words anywhere between the number before and this one; the last of them tells the role. */
const words: readonly { readonly role: Role; readonly says: RegExp; readonly example: string }[] = [
  {
    role: "limit",
    says: /\b(?:max(?:imum)?|limit(?:ed)?|allowed|at most|up to|no more than|no longer than|only|capacity|ceiling|upper bound|truncate to|n_ctx|(?:cannot|must not) (?:exceed|be \w+ than)|(?:less|lower|fewer|smaller|shorter) than(?: or equal to)?|below|under|within|(?:exceed|surpass)(?:s|ed|es|ing)?(?=\s+\w|\s*$)|(?:longer|larger|greater|more|bigger) than)(?=\W|$)|最大|上限|限制/gi,
    example: "This model's maximum context length is 4097 tokens",
  },
  {
    role: "actual",
    says: /\b(?:requested|requesting|got|has|have|contains?|containing|result(?:ed|s) in|given|provided|received|sent|actual|keep|n_keep|n_prompt_tokens|supplied|found|yours|too (?:long|large|big)|exceeded(?=\s*[(:,]))(?!\w)|实际/gi,
    example: "your messages resulted in 4619 tokens",
  },
  {
    role: "total",
    says: /\b(?:total(?: of)?|takes?|needs?|require[sd]?)\b/gi,
    example: "for a total of at least 131073 tokens",
  },
  { role: "none", says: /\b(?:used|remaining|retry|after)\b/gi, example: "Limit 30000, Used 29937, Requested 385" },
  {
    role: "output",
    says: /\b(?:max_(?:new_|output_|completion_)?tokens|max(?:imum)? (?:new|output|completion) tokens)\b[`'"]?\s*(?:is too \w+|value|(?=[:=(]|$))/gi,
    example: "max_tokens: 10000 > 4096",
  },
];

/** Parts of a sum are named after their numbers. */
const parts: readonly { readonly role: "input" | "output"; readonly after: RegExp; readonly example: string }[] = [
  {
    role: "output",
    after:
      /^\s*(?:tokens?\s*)?(?:in|for|from|of)\s+(?:the\s+|your\s+)?(?:completion|output|response|generation|answer)/i,
    example: "3545 in your prompt; 1024 for the completion",
  },
  {
    role: "output",
    after: /^\s*[`'"]?(?:output|completion|generated|max_\w*tokens)\b/i,
    example: "8 input tokens plus 2045 'max_tokens'",
  },
  {
    role: "input",
    after:
      /^\s*(?:tokens?\s*)?(?:in|for|from|of)\s+(?:the\s+|your\s+)?(?:\w+\s+)?(?:messages?|prompt|input|functions?|tools?|text|images?|system)\b/i,
    example: "6683 in the messages, 730 in the functions, and 800 in the completion",
  },
  {
    role: "input",
    after: /^\s*[`'"]?(?:input|prompt)s?[`'"]?\s+tokens?/i,
    example: "Given: 2019 `inputs` tokens and 30 `max_new_tokens`",
  },
];

/** `120002 tokens exceeds the limit`: what stands before the relation is the size. */
const isExceeding =
  /^[\s)]*(?:tokens?\)?\s*|bytes\)?\s*|characters\)?\s*)?(?:is |are |was )?(?:exceed|over the|above the|longer|larger|greater|more than|(?:must|should) be (?:<|less|at most|lower)|too (?:large|long|big|many)|超)/i;
/** What stands after it is the limit. */
const afterExceeding = /\b(?:exceed\w*|(?:longer|larger|greater|more|bigger) than)\b[^:]*$|超过|超出/i;
/** A bare size: `Input length (160062 tokens)`. */
const sizeBefore =
  /(?:\b(?:tokens?|length|count|size|prompt|inputs?|request|messages?|body|payload|exceeded)|长度)\W*(?:of|is|was|at)?\W*$/i;

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
  /(?<![\w.\-/#'"@]|\d,)-?\d{1,3}(?:[,_]\d{3})+(?![\w-])(?:\.\d+)?|(?<![\w.\-/#@[]|\d[,:])-?\d+(?:\.\d+)?(?=\s?[kmg]i?b\b|px\b|k\b|\b)(?!-(?!token)\w|\w+-\w|:\d|%|\/\d|(?:\.\d)|(?:ms|s|m|h)\b)/gi;

/** An error that names more is not explaining a limit. */
const mostNumbers = 64;
const longestText = 16_384;

function numbersIn(text: string, status: number | undefined): Found[] {
  const clean = withoutStatus(text.slice(0, longestText), status)
    .replace(/\bhttps?:\/\/\S+/g, " ")
    .replace(/[*]/g, "");
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

/** Signs first, then the last telling word since the number before, then what a plain sentence order says. */
function roleOf(before: string, segment: string, after: string): Role {
  const sign = signs.find((one) => (one.before?.test(before) ?? true) && (one.after?.test(after) ?? true));
  if (sign) return sign.role;
  const said = lastWord(segment.slice(segment.search(/(?:[^.;]|[.;](?!\s))*$/)));
  if (said === "limit" || said === "none") return said;
  const part = parts.find((one) => one.after.test(after))?.role;
  if (part) return part;
  if (said) return said;
  if (isExceeding.test(after)) return "actual";
  if (afterExceeding.test(before)) return "limit";
  if (/\b(?:context|window)\b[^\d]*$/i.test(segment)) return "limit";
  return sizeBefore.test(before) ? "actual" : "unknown";
}

function lastWord(segment: string): Role | undefined {
  let last: { end: number; role: Role } | undefined;
  for (const { role, says } of words) {
    for (const { index, 0: word } of segment.matchAll(says)) {
      const end = index + word.length;
      if (last === undefined || end >= last.end) last = { end, role };
    }
  }
  return last?.role;
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
  if (/\bbytes\b[^\d]{0,12}$/i.test(before)) return "bytes";
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
  const size = valuesOf("actual").findLast((value) => value > 0);
  const pair = size === undefined && valuesOf("total").length === 0 ? twoLimits(limits) : undefined;
  const said = pair?.limit ?? limitAmong(limits, [...valuesOf("actual"), ...valuesOf("total")], numbers);
  const stated =
    valuesOf("total")[0] ?? size ?? pair?.actual ?? (input === undefined ? larger(numbers, said) : undefined);
  const limit = said ?? smaller(numbers, stated);
  const lowerBound = sizes.some(({ atLeast }) => atLeast);
  const unit = limit?.unit ?? sizes.find((one) => one.unit)?.unit;
  return defined({
    limit: limit?.value,
    actual: stated === undefined && lowerBound ? undefined : actualOf({ input, output, stated }, unit),
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
};

function actualOf({ input, output, stated }: Parts, unit: LimitUnit | undefined): number | undefined {
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
