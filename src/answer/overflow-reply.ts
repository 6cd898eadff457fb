/** Words the report of a request that could not be made to fit: what happened, and what to do. */
import type { FailureReason, OverflowReport } from "../contract/overflow-report.ts";
import { estimateTokens } from "../fit/measure.ts";
import { formatCount, formatNumber } from "./phrases.ts";

/** One sentence about what happened. */
export function makeOverflowSentence({ reason, limit, actual, unit }: Omit<OverflowReport, "hint">): string {
  const numbers =
    limit === null
      ? ""
      : ` (limit ${formatNumber(limit)}${actual === null ? "" : `, sent ${formatNumber(actual)}`} ${unit ?? ""})`;
  return `The model's provider refused the request for its size${numbers}, and ${reasonPhrases[reason]}.`;
}

const reasonPhrases: Readonly<Record<FailureReason, string>> = {
  not_read: "the request could not be read",
  server_state: "the heavy part of the conversation is on the provider's side",
  nothing_to_shed: "nothing in it can be set aside",
  not_kept: "the parts that could be set aside could not be kept, so they were left in place",
  does_not_fit: "setting aside everything possible is not enough",
  refused_again: "refused it again after it was made smaller",
};

/** What to do now. */
export function makeOverflowHint(reason: FailureReason): string {
  switch (reason) {
    case "server_state":
      return "Start a new conversation or send the whole input without the stored one; the provider's own truncation or compaction may help.";
    case "not_read":
      return "Send the request as JSON in UTF-8, uncompressed or as gzip, br, zstd or deflate, and below proxy.body_bytes.";
    case "not_kept":
      return "Free space or set SPILLWAY_HOME to a folder that can be written, then send the request again.";
    case "nothing_to_shed":
      return "Shorten the system prompt, the tools or the user's own text, or choose a model with a larger window.";
    default:
      return "Start a new conversation with what matters, read what was set aside by its ref, or choose a larger model.";
  }
}

/** What recovery did while a client ran. */
export type SavedTally = { readonly recovered: number; readonly failed: number; readonly savedBytes: number };

/** One line about what recovery did: requests, and about how many tokens were not sent. */
export function formatSavedLine({ recovered, failed, savedBytes }: SavedTally): string {
  if (recovered + failed + savedBytes === 0) return "spillway: no request was too large.";
  const tokens = estimateTokens(savedBytes);
  const failures = failed === 0 ? "" : ` ${formatCount(failed, "request")} stayed too large.`;
  return `spillway: ${formatCount(recovered, "request")} recovered, about ${formatCount(tokens, "token")} kept out of the context.${failures}`;
}
