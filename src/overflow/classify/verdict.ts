/** The verdict on a provider's response: what was too large, by which figures. */

/** Only the first two are overflows; an attachment or output limit concerns something other than the input. */
const overflowClasses = [
  "context_tokens",
  "request_bytes",
  "attachment_limit",
  "output_limit",
  "rate_limit",
  "other",
] as const;

export type OverflowClass = (typeof overflowClasses)[number];

/** The unit of a limit. */
export type LimitUnit =
  | "tokens"
  | "bytes"
  | "chars"
  | "pages"
  | "pixels"
  | "count"
  | "tokens_per_min"
  | "tokens_per_day"
  | "requests_per_min";

/** The figures an error names. One message may be wrong: a plan may use them, but they must not be stored. */
export type Figures = {
  readonly limit?: number;
  readonly actual?: number;
  /** The addends of `actual`, where the message names them. */
  readonly input?: number;
  readonly output?: number;
  readonly unit?: LimitUnit;
  /** The message says "at least": the real number is larger. */
  readonly lowerBound?: true;
};

/** What `classify` returns. */
export type Verdict = Figures & {
  readonly class: OverflowClass;
  /** From 0 to 1. */
  readonly confidence: number;
  /** The part of the request the error names, as the provider writes it: `messages.3.content.0`. */
  readonly path?: string;
  /** Waiting does not help: this one request exceeds the limit for a whole minute. */
  readonly subclass?: "tpm_single_request";
};

/** Whether a smaller request could be accepted. */
export function isOverflow({ class: name }: Verdict): boolean {
  return name === "context_tokens" || name === "request_bytes";
}
