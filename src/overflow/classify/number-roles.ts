/** Finds the role of a number in an error from its neighbours, the words before it, or the order of the sentence. */

/** `none` is not a size at all; `unknown` may still be explained by the other numbers. */
export type Role = "limit" | "actual" | "total" | "input" | "output" | "none" | "unknown";

/** Text directly before or after a number that decides its role alone. */
type Sign = { readonly role: Role; readonly before?: RegExp; readonly after?: RegExp; readonly example: string };

/** Tried in this order; the first match decides. */
export const signs: readonly Sign[] = [
  // Numbers that are not sizes.
  { role: "none", before: /\b(?:by|another|extra)\s*$/i, example: "exceeds the context by 186 tokens" },
  { role: "none", before: /\btier\s*$/i, example: "Your organization is at tier 2." },
  {
    role: "none",
    before: /(?:\b(?:error|code|status|http|errno|version|line|attempt|value|id)|error)\s*[:=#]?\s*$/i,
    example: "Error code: 400",
  },
  // Arithmetic.
  { role: "input", after: /^\s*\+\s*\d/, example: "199759 + 8192 > 200000" },
  { role: "output", before: /\d\s*\+\s*$/, example: "199759 + 8192 > 200000" },
  { role: "none", after: /^\s*>\s*\d+\s*-\s*\d/, example: "64000 > 64001 - 24235" },
  {
    role: "limit",
    before: /\[\s*\d+\s*,\s*$/,
    after: /^\s*\]/,
    example: "Range of input length should be [1, 204800]",
  },
  {
    role: "limit",
    before: /\bbetween\s+\d+\s+and\s+$/i,
    example: "max_tokens must be between 1 and 8192, got 10000",
  },
  { role: "limit", before: /(?:>=?|≥|<=?|≤)\s*(?:n_ctx\W*)?$/, example: "(n_keep: 13055>= n_ctx: 4096)" },
  { role: "actual", after: /^\)?\s*(?:tokens?|bytes)?\s*(?:>=?|≥)/, example: "200251 tokens > 200000 maximum" },
  {
    role: "actual",
    after:
      /^[\s)]*(?:tokens?\)?\s*|bytes\)?\s*)?(?:(?:exceed|surpass)(?:s|ed|es)?\s+[a-z]|(?:cannot|must not|may not) exceed)/i,
    example: "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
  },
  {
    role: "limit",
    before:
      /(?<!\b(?:requested|current|actual|your|input|prompt|total) )\b(?:context|window|sequence) (?:length|size|window)\W{1,3}(?:(?:of|is)\s)?$/i,
    example: "The prompt (total length 25938) is too long to fit into the model (context length 4096).",
  },
  {
    role: "limit",
    before: /\b(?:physical|current|configured|micro) batch size\W{1,3}(?:(?:of|is)\s)?$/i,
    example: "increase the physical batch size (current batch size: 512)",
  },
  // A limit that is named after its number.
  {
    role: "limit",
    after: /^[\s-]*(?:tokens?\s+|bytes?\s+)?(?:max(?:imum)?|limit|allowed|available|supported|permitted)\b/i,
    example: "200251 tokens > 200000 maximum",
  },
];

/** Words anywhere between the previous number and this one; the last of them decides. */
export const roleWords: readonly { readonly role: Role; readonly pattern: RegExp; readonly example: string }[] = [
  {
    role: "limit",
    pattern:
      /\b(?:max(?:imum)?|limit(?:ed)?|allowed|at most|up to|no more than|no longer than|only|capacity|ceiling|upper bound|truncate to|n_ctx|(?:cannot|must not) (?:exceed|be \w+ than)|(?:less|lower|fewer|smaller|shorter) than(?: or equal to)?|below|under|within|(?:exceed|surpass)(?:s|ed|es|ing)?(?=\s+\w|\s*$)|(?:longer|larger|greater|more|bigger) than|max_(?!(?:new_|output_|completion_|gen\w*_|response_)?tokens)\w+|maxim\w+|maximal\w*|l[íi]mite)(?=\W|$)|überschreit\w+|dépass\w+|supera\w*|exced\w+|最大|最多|上限|限制|최대|максим\S+/gi,
    example: "This model's maximum context length is 4097 tokens",
  },
  {
    role: "actual",
    pattern:
      /\b(?:requested|requesting|got|has|have|contains?|containing|result(?:ed|s) in|given|provided|received|sent|actual|keep|n_keep|n_prompt_tokens|supplied|found|yours|too (?:long|large|big)|exceeded(?=\s*[(:,]))(?!\w)|当前/gi,
    example: "your messages resulted in 4619 tokens",
  },
  {
    role: "total",
    pattern: /\b(?:total(?: of)?|takes?|needs?|require[sd]?)\b/gi,
    example: "for a total of at least 131073 tokens",
  },
  { role: "none", pattern: /\b(?:used|remaining|retry|after)\b/gi, example: "Limit 30000, Used 29937, Requested 385" },
  {
    role: "output",
    pattern:
      /\b(?:max_(?:new_|output_|completion_)?tokens|max(?:imum)? (?:new|output|completion) tokens)\b[`'"]?\s*(?:is too \w+|value|(?:is|was|set to)(?=\s*$)|(?=[:=(]|$))/gi,
    example: "max_completion_tokens is too large: 262144. This model supports at most 256000 completion tokens.",
  },
];

/** The addends of a sum are named after their numbers. */
export const addends: readonly {
  readonly role: "input" | "output";
  readonly after: RegExp;
  readonly example: string;
}[] = [
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

/** `120002 tokens exceeds the limit`: a number before the relation is the size. */
const beforeExceeding =
  /^[\s)]*(?:tokens?\)?\s*|bytes\)?\s*|characters\)?\s*)?(?:is |are |was )?(?:exceed|over the|above the|longer|larger|greater|more than|(?:must|should) be (?:<|less|at most|lower)|too (?:large|long|big|many)|超|überschreit|dépass|supera|exced|превы)/i;
/** A number after it is the limit. */
const afterExceeding =
  /(?:\b(?:exceed\w*|(?:longer|larger|greater|more|bigger) than)\b|überschr\w+|dépass\w+|supera\w*|exced\w+)[^:]*$|超过|超出|превы\S+/i;
/** A size without a relation: `Input length (160062 tokens)`. */
const sizeBefore =
  /(?:\b(?:tokens?|length|count|size|prompt|inputs?|request|messages?|body|payload|ids|exceeded)|长度|token\s?数量?|길이)\W*(?:of|is|was|at)?\W*$/i;

/** Signs decide first, then the last role word since the previous number, then the order of the sentence. */
export function findRole(before: string, sincePrevious: string, after: string): Role {
  const sign = signs.find((one) => (one.before?.test(before) ?? true) && (one.after?.test(after) ?? true));
  if (sign) return sign.role;
  const wordRole = findLastRoleWord(sincePrevious.slice(sincePrevious.search(/(?:[^.;]|[.;](?!\s))*$/)));
  if (wordRole === "limit" || wordRole === "none") return wordRole;
  const addendRole = addends.find((one) => one.after.test(after))?.role;
  if (addendRole) return addendRole;
  if (wordRole) return wordRole;
  if (beforeExceeding.test(after)) return "actual";
  if (afterExceeding.test(before)) return "limit";
  if (/\b(?:context|window)\b[^\d]*$/i.test(sincePrevious)) return "limit";
  return sizeBefore.test(before) ? "actual" : "unknown";
}

function findLastRoleWord(sentence: string): Role | undefined {
  let last: { end: number; role: Role } | undefined;
  for (const { role, pattern } of roleWords) {
    for (const { index, 0: word } of sentence.matchAll(pattern)) {
      const end = index + word.length;
      if (last === undefined || end >= last.end) last = { end, role };
    }
  }
  return last?.role;
}
