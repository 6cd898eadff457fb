/** Keeps fetches to what each site's robots.txt allows; a file is read once per site and hour. */
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { rejectOnAbort } from "../abortable.ts";
import { peekChunks } from "./body/peek-chunks.ts";
import { openResponseBody } from "./body/response-body.ts";
import { makeDeadlineError } from "./network-errors.ts";
import type { FinalResponse } from "./redirects.ts";
import { parseRobots, type RobotsRules } from "./robots.ts";

/** Throws for a URL that its site's robots.txt disallows. */
type RobotsCheck = (url: URL, signal: AbortSignal) => Promise<void>;

type RobotsCheckOptions = {
  /** Requests a robots.txt, redirects and retries included. */
  request(url: URL, signal: AbortSignal): Promise<FinalResponse>;
  readonly timeoutMs: number;
  readonly maxExpansion: number;
  now(): number;
};

const MAX_ROBOTS_BYTES = 500 * 1024;
const ROBOTS_AGE_MS = 60 * 60 * 1_000;

/** A check with its own cache of rules. */
export function makeRobotsCheck(options: RobotsCheckOptions): RobotsCheck {
  const findRules = makeRulesCache(options.now);
  return async (url, signal) => {
    // Several fetches may wait for the same file: aborting one must not abort the download.
    const rules = findRules(url.origin, () => readRobots(url, options));
    const allows = await rejectOnAbort(rules, signal);
    if (allows(`${url.pathname}${url.search}`)) return;
    throw new SpillwayError("network_refused", `The robots.txt of ${clip(url.host)} disallows this page.`, {
      hint: "Fetch another source, or set network.robots to off.",
    });
  };
}

/** A file that could not be read is not remembered, so the next fetch asks for it again. */
function makeRulesCache(now: () => number) {
  const cache = new Map<string, { readonly expiresAt: number; readonly rules: Promise<RobotsRules> }>();
  return async (origin: string, read: () => Promise<RobotsRules>): Promise<RobotsRules> => {
    const entry = cache.get(origin);
    if (entry && entry.expiresAt > now()) return entry.rules;
    const rules = read();
    cache.set(origin, { expiresAt: now() + ROBOTS_AGE_MS, rules });
    rules.catch(() => cache.delete(origin));
    return rules;
  };
}

/** A site without a robots.txt allows everything. */
async function readRobots(page: URL, options: RobotsCheckOptions): Promise<RobotsRules> {
  const { timeoutMs, maxExpansion } = options;
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await options.request(new URL("/robots.txt", page), signal);
  if (response.status >= 300) response.discard();
  if (response.status >= 500) throw makeUnavailableError(page, response.status);
  if (response.status >= 300) return () => true;
  const body = openResponseBody(response, {
    maxExpansion,
    deadline: signal,
    makeDeadlineError: () => makeDeadlineError(page, timeoutMs),
    signal,
  });
  const { head } = await peekChunks(body.chunks, MAX_ROBOTS_BYTES);
  response.discard();
  return parseRobots(head.subarray(0, MAX_ROBOTS_BYTES).toString("utf8"), "spillway");
}

/** RFC 9309: while the server fails to answer, everything counts as disallowed. */
function makeUnavailableError({ host }: URL, status: number): SpillwayError {
  return new SpillwayError("network_failed", `The robots.txt of ${clip(host)} cannot be read: HTTP ${status}.`, {
    hint: "Try again later, or set network.robots to off.",
  });
}
