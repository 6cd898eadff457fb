/** http and https URLs as a source. */
import { SpillwayError } from "../errors.ts";
import { redactUrl } from "../system/redact-url.ts";
import { parseTarget } from "./http/url.ts";
import type { OpenedSource, UnchangedSource } from "./source.ts";
import type { SourceKind } from "./source-kind.ts";

export const httpSource: SourceKind = {
  matches: (given) => /^\s*https?:/i.test(given),
  source(given, { network, prefers = "markdown" }) {
    const url = parseTarget(given.trim());
    if (network === undefined) {
      throw new SpillwayError("source_refused", "This session has no network access.", {
        hint: "Give a path, a data: URL or - for stdin.",
      });
    }
    return {
      given: redactUrl(given),
      identity: url.href,
      fingerprint: () => network.fingerprint(url, prefers),
      open: async (options) => assertOpened(await network.open(url, { ...options, prefers })),
      revalidate: (validators, options) => network.open(url, { ...options, prefers, validators }),
    };
  },
};

/** Without validators a server has nothing to call unchanged. */
function assertOpened(source: OpenedSource | UnchangedSource): OpenedSource {
  if (!("unchanged" in source)) return source;
  throw new TypeError("A fetch without validators was answered with 304.");
}
