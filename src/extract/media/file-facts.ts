/** What a file states about itself in its headers. */

export type FileFacts = {
  /** How much there is of it; empty where that is not known. */
  readonly extent: string;
  /** `Format: WAV`, one fact each: numbers and names of ours, and names from the file that are letters and digits only. */
  readonly facts: readonly string[];
  /** The file's own words. */
  readonly words: FileWords;
};

export type FileWords = { readonly title?: string; readonly author?: string; readonly date?: string };

export const noFacts: FileFacts = { extent: "", facts: [], words: {} };

const MAX_FACT_CHARS = 120;

/** The facts that have a value. Anything but letters, digits and a few signs is left out, since a file can state anything. */
export function listFacts(facts: Readonly<Record<string, string | number | undefined>>): string[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const text = String(value ?? "")
      .replaceAll(/[^\p{L}\p{N} .,;:/_+-]/gu, "")
      .slice(0, MAX_FACT_CHARS)
      .trim();
    return text === "" ? [] : [`${name}: ${text}`];
  });
}

const MAX_WORD_CHARS = 500;

/** Title, author and date, each on one line, where the file has them. */
export function toWords(given: { readonly [K in keyof FileWords]?: string | undefined }): FileWords {
  const words = Object.entries(given).map(([name, value]) => [
    name,
    (value ?? "")
      .slice(0, MAX_WORD_CHARS)
      .replaceAll(/[\s\0]+/g, " ")
      .trim(),
  ]);
  return Object.fromEntries(words.filter(([, value]) => value !== ""));
}

/** `0.4 s`, `3:25`, `1:02:03`; empty for what is no duration. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > 10_000_000) return "";
  if (seconds < 1) return `${Math.max(0.01, seconds).toFixed(2)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const padded = (value: number): string => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
}

export const formatChannels = (count: number): string =>
  count === 1 ? "mono" : count === 2 ? "stereo" : count > 2 ? `${count} channels` : "";

/** The parts that there are, separated by commas. */
export const joinFacts = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join(", ");
