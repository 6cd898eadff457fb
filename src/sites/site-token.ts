/** The token of a site, from the environment. */
import type { Environment } from "../config/paths.ts";
import { SpillwayError } from "../errors.ts";
import type { SiteToken } from "./site.ts";

/** Undefined where none is set. */
export function readToken({ names }: SiteToken, env: Environment): string | undefined {
  const name = names.find((each) => (env[each] ?? "").trim() !== "");
  if (name === undefined) return undefined;
  const token = (env[name] ?? "").trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new SpillwayError("key_invalid", `The token in ${name} contains a character that no token can have.`, {
    hint: "Copy it again: it is one line of ASCII letters, digits and punctuation, without spaces.",
  });
}
