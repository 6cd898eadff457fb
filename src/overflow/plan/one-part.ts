/** Limits on one part of a request instead of on the whole: a string, an attachment, or how many there are. */

import type { Path } from "../../system/json-edits.ts";
import type { Verdict } from "../classify/verdict.ts";
import type { PartContent } from "../dialects/dialect.ts";
import { countPartChars } from "../estimate-tokens.ts";
import type { SentPart } from "./sent-part.ts";

/** Whether the limit is on one string or one attachment and not on the whole request. */
export function isAboutOnePart(verdict: Verdict, parts: readonly SentPart[]): boolean {
  if (verdict.class === "attachment_limit") return true;
  if (verdict.class !== "request_bytes" || verdict.unit !== "chars") return false;
  // Without a path the characters are those of the whole input, unless one part alone has that many.
  const maxPartChars = Math.max(0, ...parts.map(({ sentContent }) => countPartChars(sentContent)));
  return verdict.path !== undefined || maxPartChars > (verdict.actual ?? verdict.limit ?? Infinity) * 0.95;
}

/** The parts that break a limit on one part: the one at the path, those over the limit, or those beyond the count. */
export function findOffending(parts: readonly SentPart[], verdict: Verdict): readonly SentPart[] {
  const { path, limit, unit } = verdict;
  const eligible = parts.filter(({ role }) => verdict.class !== "attachment_limit" || role === "attachment");
  if (path !== undefined) {
    const matches = eligible.filter((part) => isAtPath(part.path, path));
    if (matches.length > 0 || unit === "chars") return matches;
  }
  if (unit === "chars")
    return eligible.filter(({ sentContent }) => limit !== undefined && countPartChars(sentContent) > limit);
  if (unit === "bytes")
    return eligible.filter(({ sentContent }) => limit !== undefined && (countPartChars(sentContent) * 3) / 4 > limit);
  if (unit === "pages") return eligible.filter(({ sentContent }) => !isPicture(sentContent));
  return unit === "pixels" || limit === undefined ? [] : findSurplus(eligible, limit);
}

/** `too many images, max allowed is 16`: the oldest parts beyond the count, pictures first if they alone exceed it. */
function findSurplus(parts: readonly SentPart[], maxCount: number): readonly SentPart[] {
  const pictures = parts.filter(({ sentContent }) => isPicture(sentContent));
  const candidates = pictures.length > maxCount ? pictures : parts;
  return candidates.slice(0, Math.max(0, candidates.length - maxCount));
}

const isPicture = (content: PartContent): boolean => "base64" in content && content.mediaType.startsWith("image/");

/**
 * Whether a path in an error is that of a part. `messages.3.content.0.image.source` is inside `messages.3.content.0`, and
 * `input[0].content` is around it. After an index some providers add the type of the block:
 * `content.0.tool_result.content.1.image`.
 */
export function isAtPath(partPath: Path, errorPath: string): boolean {
  const steps = errorPath.split(/[.[\]]+/).filter(Boolean);
  let matched = 0;
  for (const [index, step] of steps.entries()) {
    if (matched === partPath.length) break;
    if (String(partPath[matched]) === step) matched++;
    else if (!/^\d+$/.test(steps[index - 1] ?? "")) return false;
  }
  return matched >= 2;
}
