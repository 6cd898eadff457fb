/** What a site's robots.txt lets us fetch, by RFC 9309. */

/** One rule and how specific it is. */
type Rule = { readonly allow: boolean; readonly matches: (path: string) => boolean; readonly length: number };

/** The rules for one crawler; a path that no rule is about may be fetched. */
export type RobotsRules = (pathAndQuery: string) => boolean;

const MAX_PATTERN_CHARS = 2_048;
const MAX_RULES = 10_000;

/** Reads the groups that name the crawler, or else those for everybody. */
export function parseRobots(text: string, crawler: string): RobotsRules {
  const groups = parseGroups(text);
  const named = groups.filter(({ agents }) => agents.includes(crawler));
  const chosen = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes("*"));
  const rules = chosen.flatMap((group) => group.rules).slice(0, MAX_RULES);
  return (path) => {
    const asked = normalizePath(path);
    const matching = rules.filter(({ matches }) => matches(asked));
    const longest = Math.max(...matching.map(({ length }) => length));
    // Between equals the milder one counts.
    return matching.length === 0 || matching.some(({ allow, length }) => allow && length === longest);
  };
}

type Group = { readonly agents: string[]; readonly rules: Rule[] };

function parseGroups(text: string): Group[] {
  const groups: Group[] = [];
  let naming = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, key = "", value = ""] = /^\s*([\w-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/.exec(line) ?? [];
    const name = key.toLowerCase();
    if (name === "user-agent") {
      if (!naming) groups.push({ agents: [], rules: [] });
      // A product may be followed by its version, which does not count.
      groups.at(-1)?.agents.push(value.toLowerCase().replace(/[/\s].*$/, ""));
      naming = true;
    } else if (name === "allow" || name === "disallow") {
      naming = false;
      // An empty Disallow forbids nothing.
      if (value !== "" && value.length <= MAX_PATTERN_CHARS) groups.at(-1)?.rules.push(toRule(name === "allow", value));
    }
  }
  return groups;
}

function toRule(allow: boolean, value: string): Rule {
  return { allow, matches: compilePattern(normalizePath(value)), length: value.length };
}

/** The same path however it is escaped: `/~a` and `/%7ea`, `/\u00e4` and `/%c3%a4`. */
function normalizePath(path: string): string {
  const ascii = path.replace(/[^\x20-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));
  return ascii.replace(/%[0-9a-f]{2}/gi, (code) => {
    const plain = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(plain) ? plain : code.toUpperCase();
  });
}

/** `*` is any run of characters, a final `$` the end. By hand, for a hostile pattern makes a regular expression crawl. */
function compilePattern(value: string): (path: string) => boolean {
  const anchored = value.endsWith("$");
  const [first = "", ...rest] = (anchored ? value.slice(0, -1) : value).split("*");
  const last = anchored ? rest.pop() : undefined;
  return (path) => {
    if (anchored && last === undefined) return path === first;
    let at = path.startsWith(first) ? first.length : -1;
    for (const part of rest) {
      const found = at < 0 ? -1 : path.indexOf(part, at);
      at = found < 0 ? -1 : found + part.length;
    }
    return at >= 0 && (last === undefined || (path.endsWith(last) && path.length - last.length >= at));
  };
}
