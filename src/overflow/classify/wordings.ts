/**
 * The wordings of size errors, as rows of concepts. Each row has a form (subject, relation, object) and an example, most
 * of them recorded. An unknown provider is understood if it says the same in other words.
 */
import { splitSentences, toConcepts } from "./lexicon.ts";
import type { OverflowClass } from "./verdict.ts";

/** One row: a form and the class it means. */
export type Wording = {
  /** Concepts in order: `a|b` is either, `..` is anything in between, `?` is optional, `^` starts the sentence. */
  readonly form: string;
  readonly class: OverflowClass;
  readonly confidence: number;
  /** Where the example is from: the recorded answers, a public thread, or written because neither has one. */
  readonly origin: "recorded" | "quoted" | "written";
  /** A message with this wording. */
  readonly example: string;
};

/** Tried in this order; the first row that matches any sentence of the message decides. */
export const wordings: readonly Wording[] = [
  {
    form: "output .. reach",
    origin: "written",
    class: "output_limit",
    confidence: 0.85,
    example:
      "Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.",
  },
  {
    form: "header .. toobig|exceed|atmost",
    origin: "written",
    class: "other",
    confidence: 0.9,
    example: "Request Header Fields Too Large",
  },
  {
    form: "setting .. exceed|toobig|atmost",
    origin: "written",
    class: "other",
    confidence: 0.85,
    example: "Invalid schema for response_format: 12 levels of nesting exceeds limit of 10.",
  },
  {
    form: "exceed|toobig max? setting",
    origin: "written",
    class: "other",
    confidence: 0.85,
    example: "token 3 is too large: 200000 exceeds vocabulary size 100256",
  },
  {
    form: "login .. exceed|toobig|atmost",
    origin: "written",
    class: "other",
    confidence: 0.9,
    example: "id token is too large: maximum token length is 8192",
  },
  {
    form: "^input? list .. exceed|toobig|atmost|max",
    origin: "recorded",
    class: "other",
    confidence: 0.8,
    example:
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 325 instead.",
  },
  {
    form: "^tokens .. exceed|toobig|atmost .. window|max",
    origin: "written",
    class: "context_tokens",
    confidence: 0.95,
    example: "Total tokens of image and text exceed max message tokens",
  },
  {
    form: "^output .. exceed|atmost|toobig",
    origin: "recorded",
    class: "output_limit",
    confidence: 0.93,
    example: "max_tokens: 10000 > 4096, which is the maximum allowed number of output tokens for claude-3-5-sonnet",
  },
  {
    form: "^atmost .. output",
    origin: "recorded",
    class: "output_limit",
    confidence: 0.93,
    example: "Range of max_tokens should be [1, 8192]",
  },
  {
    form: "reach .. output",
    origin: "written",
    class: "output_limit",
    confidence: 0.85,
    example: "The response was cut because it reached the maximum output tokens",
  },
  {
    form: "attach .. exceed|toobig|atmost",
    origin: "recorded",
    class: "attachment_limit",
    confidence: 0.93,
    example: "image exceeds 5 MB maximum: 9427836 bytes > 5242880 bytes",
  },
  {
    form: "max .. attach",
    origin: "recorded",
    class: "attachment_limit",
    confidence: 0.85,
    example: "A maximum of 100 PDF pages may be provided.",
  },
  {
    form: "toobig|exceed .. attach",
    origin: "recorded",
    class: "attachment_limit",
    confidence: 0.9,
    example: "too many images in the message, max allowed is 16",
  },
  {
    form: "window .. exceed|toobig",
    origin: "recorded",
    class: "context_tokens",
    confidence: 0.94,
    example: "Context window exceeded: 120002 tokens exceeds the limit of 120000 tokens",
  },
  {
    form: "window .. reach",
    origin: "written",
    class: "context_tokens",
    confidence: 0.85,
    example: "Model context limit reached",
  },
  {
    form: "exceed|toobig .. window",
    origin: "recorded",
    class: "context_tokens",
    confidence: 0.94,
    example: "exceed_context_size_error",
  },
  {
    form: "body .. exceed|toobig|atmost",
    origin: "recorded",
    class: "request_bytes",
    confidence: 0.95,
    example: "400 total message size 2100954 exceeds limit 2097152",
  },
  {
    form: "input exceed|toobig max? bytes|string",
    origin: "quoted",
    class: "request_bytes",
    confidence: 0.9,
    example: "RESOURCE_EXHAUSTED: gRPC message exceeds maximum size 4194304",
  },
  {
    form: "input .. exceed|toobig|atmost",
    origin: "recorded",
    class: "context_tokens",
    confidence: 0.9,
    example: "Input is too long for requested model.",
  },
  {
    form: "atmost .. input",
    origin: "recorded",
    class: "context_tokens",
    confidence: 0.93,
    example: "400 <400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]",
  },
  {
    form: "toobig input? tokens",
    origin: "written",
    class: "context_tokens",
    confidence: 0.85,
    example: "Too many input tokens. Max input tokens: 8192, request input token count: 10007",
  },
  {
    form: "toobig input? bytes",
    origin: "quoted",
    class: "request_bytes",
    confidence: 0.85,
    example: "The model returned the following errors: too many total text bytes",
  },
  {
    form: "request .. toobig",
    origin: "recorded",
    class: "request_bytes",
    confidence: 0.8,
    example: "request_too_large",
  },
  {
    form: "request bytes exceed max",
    origin: "written",
    class: "request_bytes",
    confidence: 0.85,
    example: "the request was refused because its size exceeds the configured maximum",
  },
  {
    form: "reduce .. length .. input",
    origin: "recorded",
    class: "context_tokens",
    confidence: 0.7,
    example: "Please reduce the length of the messages or completion.",
  },
];

/** The first row that matches any sentence of the text. */
export function findWording(text: string): Wording | undefined {
  const sentences = splitSentences(text).map(toConcepts);
  return patterns.find(({ pattern }) => sentences.some((concepts) => pattern.test(concepts)))?.wording;
}

const patterns = wordings.map((wording) => ({ wording, pattern: compileForm(wording.form) }));

function compileForm(form: string): RegExp {
  const steps = form.split(" ").map((step) => {
    if (step === "..") return "(?:\\w+ )*?";
    const anchor = step.startsWith("^output") ? "^(?:request )?" : step.startsWith("^") ? "^" : "";
    const optional = step.endsWith("?") ? "?" : "";
    return `${anchor}(?:(?:${step.replace(/[\^?]/g, "")})(?: |$))${optional}`;
  });
  return new RegExp(`${form.startsWith("^") ? "" : "(?:^| )"}${steps.join("")}`);
}
