/** Parses robots.txt (RFC 9309) into the rules for one crawler. */

/** One rule; its length is how specific it is. */
type Rule = { readonly allow: boolean; readonly matches: (path: string) => boolean; readonly length: number };

/** Whether one crawler may fetch a path; a path without a matching rule is allowed. */
export type RobotsRules = (pathAndQuery: string) => boolean;

const MAX_PATTERN_CHARS = 2_048;
const MAX_RULES = 10_000;

/** The rules of the groups that name the crawler, or else of the groups for all crawlers. */
export function parseRobots(text: string, crawler: string): RobotsRules {
  const groups = parseGroups(text);
  const namedGroups = groups.filter(({ agents }) => agents.includes(crawler));
  const applicableGroups = namedGroups.length > 0 ? namedGroups : groups.filter(({ agents }) => agents.includes("*"));
  const rules = applicableGroups.flatMap((group) => group.rules).slice(0, MAX_RULES);
  return (path) => {
    const normalized = normalizePath(path);
    const matchingRules = rules.filter(({ matches }) => matches(normalized));
    const maxLength = Math.max(...matchingRules.map(({ length }) => length));
    // Between rules of equal length, allow wins.
    return matchingRules.length === 0 || matchingRules.some(({ allow, length }) => allow && length === maxLength);
  };
}

type Group = { readonly agents: string[]; readonly rules: Rule[] };

function parseGroups(text: string): Group[] {
  const groups: Group[] = [];
  let isNamingAgents = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, key = "", value = ""] = /^\s*([\w-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/.exec(line) ?? [];
    const name = key.toLowerCase();
    if (name === "user-agent") {
      if (!isNamingAgents) groups.push({ agents: [], rules: [] });
      // A product may be followed by its version, which is ignored.
      groups.at(-1)?.agents.push(value.toLowerCase().replace(/[/\s].*$/, ""));
      isNamingAgents = true;
    } else if (name === "allow" || name === "disallow") {
      isNamingAgents = false;
      // An empty Disallow forbids nothing.
      if (value !== "" && value.length <= MAX_PATTERN_CHARS) groups.at(-1)?.rules.push(toRule(name === "allow", value));
    }
  }
  return groups;
}

function toRule(allow: boolean, value: string): Rule {
  return { allow, matches: compilePattern(normalizePath(value)), length: value.length };
}

/** One spelling for a path however it is escaped: `/~a` and `/%7ea`, `/\u00e4` and `/%c3%a4`. */
function normalizePath(path: string): string {
  const ascii = path.replace(/[^\x20-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));
  return ascii.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : code.toUpperCase();
  });
}

/** `*` is any run of characters, a final `$` the end. Not a regular expression: hostile patterns would make it slow. */
function compilePattern(value: string): (path: string) => boolean {
  const isAnchored = value.endsWith("$");
  const [first = "", ...parts] = (isAnchored ? value.slice(0, -1) : value).split("*");
  const last = isAnchored ? parts.pop() : undefined;
  return (path) => {
    if (isAnchored && last === undefined) return path === first;
    let position = path.startsWith(first) ? first.length : -1;
    for (const part of parts) {
      const index = position < 0 ? -1 : path.indexOf(part, position);
      position = index < 0 ? -1 : index + part.length;
    }
    return position >= 0 && (last === undefined || (path.endsWith(last) && path.length - last.length >= position));
  };
}
