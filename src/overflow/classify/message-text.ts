/** Repairs to a provider's message that its words and its numbers both need. */

/** Pattern and replacement, applied to a message in the order of a table. */
export type Repair = readonly [pattern: RegExp, replacement: string];

/** No explanation of a refusal is longer; the rest of a longer text is ignored. */
export const MAX_MESSAGE_CHARS = 16_384;

/** Web addresses: their words and numbers say nothing about the request. */
export const removeUrls: Repair = [/\bhttps?:\/\/\S+/g, " "];

/** `limit is131072`: some servers omit the space before a number. */
export const separateNumbers: Repair = [/(?<=\b(?:is|of|was|has))(?=\d{3})/g, " "];

/** The text after all repairs of a table. */
export function applyRepairs(text: string, repairs: readonly Repair[]): string {
  return repairs.reduce((repaired, [pattern, replacement]) => repaired.replace(pattern, replacement), text);
}
