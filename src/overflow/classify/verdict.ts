/** What an answer of a provider means for the request that led to it. */

/** Only the first two are overflows; an attachment or output limit names what else was too much. */
export const overflowClasses = [
  "context_tokens",
  "request_bytes",
  "attachment_limit",
  "output_limit",
  "rate_limit",
  "other",
] as const;

export type OverflowClass = (typeof overflowClasses)[number];

/** What a limit is counted in. */
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

/** The figures an error names. They are read from one message and may lie: a plan uses them, nobody stores them. */
export type Figures = {
  readonly limit?: number;
  readonly actual?: number;
  /** The parts of `actual` where the message tells them apart. */
  readonly input?: number;
  readonly output?: number;
  readonly unit?: LimitUnit;
  /** The message says "at least": the real number is larger. */
  readonly lowerBound?: true;
};

export type Verdict = Figures & {
  readonly class: OverflowClass;
  /** From 0 to 1; below a half the answer says little about sizes. */
  readonly confidence: number;
  /** The part of the request the error names, as the provider writes it: `messages.3.content.0`. */
  readonly path?: string;
  /** A rate limit that waiting cannot help: this one request is larger than a whole minute may be. */
  readonly subclass?: "tpm_single_request";
};

/** Whether a smaller request could be accepted where this one was not. */
export function isOverflow({ class: name }: Verdict): boolean {
  return name === "context_tokens" || name === "request_bytes";
}
