/** What a site's robots.txt lets us fetch, by RFC 9309. */

/** One rule and how specific it is. */
type Rule = { readonly allow: boolean; readonly matches: (path: string) => boolean; readonly length: number };

/** The rules for one crawler; a path that no rule is about may be fetched. */
export type Robots = (pathAndQuery: string) => boolean;

const longestPattern = 2_048;
const mostRules = 10_000;

/** Reads the groups that name the crawler, or else those for everybody. */
export function parseRobots(text: string, crawler: string): Robots {
  const groups = groupsOf(text);
  const named = groups.filter(({ agents }) => agents.some((agent) => agent !== "*" && crawler.startsWith(agent)));
  const chosen = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes("*"));
  const rules = chosen.flatMap((group) => group.rules).slice(0, mostRules);
  return (path) => {
    const matching = rules.filter(({ matches }) => matches(path));
    const longest = Math.max(...matching.map(({ length }) => length));
    // Between equals the milder one counts.
    return matching.length === 0 || matching.some(({ allow, length }) => allow && length === longest);
  };
}

type Group = { readonly agents: string[]; readonly rules: Rule[] };

function groupsOf(text: string): Group[] {
  const groups: Group[] = [];
  let naming = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, key = "", value = ""] = /^\s*([\w-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/.exec(line) ?? [];
    const name = key.toLowerCase();
    if (name === "user-agent") {
      if (!naming) groups.push({ agents: [], rules: [] });
      groups.at(-1)?.agents.push(value.toLowerCase());
      naming = true;
    } else if (name === "allow" || name === "disallow") {
      naming = false;
      // An empty Disallow forbids nothing.
      if (value !== "" && value.length <= longestPattern) groups.at(-1)?.rules.push(toRule(name === "allow", value));
    }
  }
  return groups;
}

function toRule(allow: boolean, value: string): Rule {
  return { allow, matches: globOf(value), length: value.length };
}

/** `*` is any run of characters, a final `$` the end. By hand, for a hostile pattern makes a regular expression crawl. */
function globOf(value: string): (path: string) => boolean {
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
