/** http and https URLs as a source. */
import { SpillwayError } from "../../errors.ts";
import type { Opened, SourceKind, Unchanged } from "../source.ts";
import { parseTarget } from "./url.ts";

export const httpSource: SourceKind = {
  matches: (given) => /^\s*https?:/i.test(given),
  source(given, { network, prefers = "markdown" }) {
    const url = parseTarget(given.trim());
    if (network === undefined) {
      throw new SpillwayError("source_refused", "Nothing is fetched from other hosts here.", {
        hint: "Give a path, a data: URL or - for stdin.",
      });
    }
    return {
      given,
      identity: url.href,
      fingerprint: () => network.fingerprint(url, prefers),
      open: async (ask) => requireChanged(await network.open(url, { ...ask, prefers })),
      revalidate: (validators, ask) => network.open(url, { ...ask, prefers, validators }),
    };
  },
};

/** Without validators there is nothing a server could call unchanged. */
function requireChanged(opened: Opened | Unchanged): Opened {
  if (!("unchanged" in opened)) return opened;
  throw new TypeError("A fetch without validators was answered as unchanged.");
}
