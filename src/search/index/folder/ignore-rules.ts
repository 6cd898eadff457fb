/** Ignore files as git reads them, matched without regular expressions, so that a hostile pattern cannot stall a walk. */

/** The rules of one ignore file. Most name a file or an extension: these are looked up in maps. */
export type IgnoreRules = {
  readonly byName: ReadonlyMap<string, readonly Rule[]>;
  readonly byExtension: ReadonlyMap<string, readonly Rule[]>;
  /** Patterns of a name at any depth. */
  readonly namePatterns: readonly (Rule & { readonly pattern: string })[];
  readonly paths: readonly Rule[];
};

type Rule = {
  /** Its line in the file: the last rule that matches decides. */
  readonly order: number;
  readonly isNegated: boolean;
  readonly isFolderOnly: boolean;
  /** What a path must begin with; it may end within a name. */
  readonly prefix: string;
  /** The names of the rest of the pattern; `**` matches any number of folders. */
  readonly names: readonly string[];
};

/** Further lines are ignored. */
const MAX_RULES = 10_000;

/**
 * Parses the text of an ignore file. https://git-scm.com/docs/gitignore#_pattern_format
 * Rules that would hide one of `namedFolders` are left out: the user asked for that folder by name.
 */
export function parseIgnore(text: string, namedFolders: readonly string[] = []): IgnoreRules {
  const byName = new Map<string, Rule[]>();
  const byExtension = new Map<string, Rule[]>();
  const namePatterns: (Rule & { pattern: string })[] = [];
  const paths: Rule[] = [];
  for (const rule of text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/, MAX_RULES)
    .flatMap(parseLine)
    .filter((rule) => rule.isNegated || !namedFolders.some((folder) => matchesPath(rule, folder)))) {
    const [first, pattern = "", ...rest] = rule.names;
    if (rule.prefix !== "" || first !== "**" || rest.length > 0 || pattern === "**") paths.push(rule);
    else if (!/[*?[\\]/.test(pattern)) byName.set(pattern, [...(byName.get(pattern) ?? []), rule]);
    else if (/^\*\.[^.*?[\\]+$/.test(pattern)) {
      const extension = pattern.slice(1);
      byExtension.set(extension, [...(byExtension.get(extension) ?? []), rule]);
    } else namePatterns.push({ ...rule, pattern });
  }
  return { byName, byExtension, namePatterns, paths };
}

function parseLine(line: string, order: number): Rule[] {
  const trimmed = withoutTrailingBlanks(line);
  if (trimmed === "" || trimmed.startsWith("#")) return [];
  const isNegated = trimmed.startsWith("!");
  const pattern = isNegated ? trimmed.slice(1) : trimmed;
  const isFolderOnly = pattern.endsWith("/");
  const path = isFolderOnly ? pattern.slice(0, -1) : pattern;
  if (path === "") return [];
  if (!path.includes("/")) return [{ order, isNegated, isFolderOnly, prefix: "", names: ["**", path] }];
  const { prefix, rest } = splitPrefix(path.replace(/^\//, ""));
  const names = rest.split("/").map((name) => name.replace(/^\*{3,}$/, "**"));
  return [{ order, isNegated, isFolderOnly, prefix, names }];
}

/** git compares what precedes the first wildcard separately, so that `a**\/b` is `a` and then `**\/b`. */
function splitPrefix(pattern: string): { readonly prefix: string; readonly rest: string } {
  const prefix = /^[^*?[\\]*[^*?[\\/](?=\*\*+(?:\/|$))/.exec(pattern)?.[0] ?? "";
  return { prefix, rest: pattern.slice(prefix.length) };
}

/** Trailing blanks do not count, unless the last is escaped. */
function withoutTrailingBlanks(line: string): string {
  const trimmed = line.replace(/ +$/, "");
  return trimmed.endsWith("\\") && trimmed.length < line.length ? `${trimmed} ` : trimmed;
}

/**
 * What these rules say about a path relative to their folder: ignored, kept by a `!` rule, or nothing. The last rule
 * that matches decides. Test folders before the files in them, as git does.
 */
export function matchRules(rules: IgnoreRules, path: string, isFolder: boolean): "ignored" | "kept" | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  let last: Rule | undefined;
  const consider = (rule: Rule) => {
    if ((isFolder || !rule.isFolderOnly) && rule.order >= (last?.order ?? 0)) last = rule;
  };
  rules.byName.get(name)?.forEach(consider);
  const dot = name.lastIndexOf(".");
  if (dot !== -1) rules.byExtension.get(name.slice(dot))?.forEach(consider);
  for (const rule of rules.namePatterns) if (matchesName(rule.pattern, name)) consider(rule);
  for (const rule of rules.paths) if (matchesPath(rule, path)) consider(rule);
  if (last === undefined) return null;
  return last.isNegated ? "kept" : "ignored";
}

function matchesPath({ prefix, names }: Rule, path: string): boolean {
  return path.startsWith(prefix) && matchesNames(names, path.slice(prefix.length).split("/"));
}

/** It backtracks to the last `**` only: backtracking to an earlier one could not match more. */
function matchesNames(patterns: readonly string[], names: readonly string[]): boolean {
  let [pattern, name, star, starName] = [0, 0, -1, 0];
  while (name < names.length) {
    if (patterns[pattern] === "**") {
      [star, starName] = [pattern++, name];
      // A final `**` matches everything inside, so at least one name.
      if (pattern === patterns.length) return true;
    } else if (pattern < patterns.length && matchesName(patterns[pattern] ?? "", names[name] ?? "")) {
      pattern++;
      name++;
    } else if (star !== -1) {
      pattern = star + 1;
      name = ++starName;
    } else return false;
  }
  return pattern === patterns.length;
}

/** Matches one name: `*`, `?`, `[a-z]`, `[!a]`, `[[:digit:]]` and `\`. */
function matchesName(pattern: string, name: string): boolean {
  let [position, index, star, starIndex] = [0, 0, -1, 0];
  while (index < name.length) {
    const canMatch = position < pattern.length && pattern[position] !== "*";
    const step = canMatch ? matchOne(pattern, position, name[index] ?? "") : 0;
    if (step > 0) {
      position += step;
      index++;
    } else if (pattern[position] === "*") {
      [star, starIndex] = [position++, index];
    } else if (star !== -1) {
      position = star + 1;
      index = ++starIndex;
    } else return false;
  }
  while (pattern[position] === "*") position++;
  return position === pattern.length;
}

/** How many characters of the pattern match this character; 0 if it does not match. */
function matchOne(pattern: string, position: number, character: string): number {
  const sign = pattern[position];
  if (sign === "?") return 1;
  if (sign === "\\") return pattern[position + 1] === character ? 2 : 0;
  if (sign === "[") return matchSet(pattern, position, character);
  return sign === character ? 1 : 0;
}

/** A set of characters in brackets. A set that is not closed or names an unknown class matches nothing. */
function matchSet(pattern: string, start: number, character: string): number {
  const isNegated = pattern[start + 1] === "!" || pattern[start + 1] === "^";
  const first = start + (isNegated ? 2 : 1);
  let isMember = false;
  let rangeStart: string | null = null;
  // A closing bracket right after the opening one is a member.
  for (let position = first; position < pattern.length; ) {
    if (pattern[position] === "]" && position > first) return isMember === isNegated ? 0 : position - start + 1;
    const member = readMember(pattern, position, rangeStart, character);
    if (member === null) return 0;
    isMember ||= member.matches;
    rangeStart = member.rangeStart;
    position = member.end;
  }
  return 0;
}

/** A member of a set: where it ends, whether it matches the character, and the character that a range may begin with. */
type Member = { readonly end: number; readonly matches: boolean; readonly rangeStart: string | null };

function readMember(pattern: string, position: number, rangeStart: string | null, character: string): Member | null {
  const sign = pattern[position];
  if (sign === "-" && rangeStart !== null && position + 1 < pattern.length && pattern[position + 1] !== "]") {
    const last = readLiteral(pattern, position + 1);
    const matches = last !== null && rangeStart <= character && character <= last.text;
    return last && { end: last.end, matches, rangeStart: null };
  }
  const classEnd = sign === "[" && pattern[position + 1] === ":" ? pattern.indexOf("]", position + 2) : -1;
  if (classEnd > position + 2 && pattern[classEnd - 1] === ":") {
    const characters = characterClasses.get(pattern.slice(position + 2, classEnd - 1));
    if (characters === undefined) return null;
    return { end: classEnd + 1, matches: characters.test(character), rangeStart: null };
  }
  const literal = readLiteral(pattern, position);
  return literal && { end: literal.end, matches: literal.text === character, rangeStart: literal.text };
}

function readLiteral(pattern: string, position: number): { readonly text: string; readonly end: number } | null {
  const index = pattern[position] === "\\" ? position + 1 : position;
  const text = pattern[index];
  return text === undefined ? null : { text, end: index + 1 };
}

/** The classes that a set may name as `[:name:]`. */
const characterClasses: ReadonlyMap<string, RegExp> = new Map([
  ["alnum", /[A-Za-z0-9]/],
  ["alpha", /[A-Za-z]/],
  ["blank", /[ \t]/],
  ["cntrl", /[\x00-\x1f\x7f]/],
  ["digit", /[0-9]/],
  ["graph", /[!-~]/],
  ["lower", /[a-z]/],
  ["print", /[ -~]/],
  ["punct", /[!-/:-@[-`{-~]/],
  ["space", /[ \t-\r]/],
  ["upper", /[A-Z]/],
  ["xdigit", /[0-9A-Fa-f]/],
]);

/** Never worth a search result: third-party code, caches, secrets, and files that tools write for themselves. */
export const defaultIgnoreText =
  `.git/ .hg/ .svn/ .jj/ node_modules/ bower_components/ __pycache__/ .venv/ venv/ .tox/ .nox/ .mypy_cache/ .pytest_cache/
.ruff_cache/ .gradle/ .idea/ .next/ .nuxt/ .svelte-kit/ .terraform/ .cache/ .parcel-cache/ .turbo/ .yarn/ .pnpm-store/ .eggs/
*.egg-info/ .dart_tool/ .bundle/ .stack-work/ dist-newstyle/ zig-cache/ .zig-cache/ .DS_Store *.min.js *.min.css *.map
package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock Cargo.lock poetry.lock uv.lock Pipfile.lock go.sum
composer.lock Gemfile.lock Podfile.lock pubspec.lock mix.lock flake.lock .env .env.* !.env.example *.pem *.key *.p12 *.pfx`
    .split(/\s+/)
    .join("\n");
export const defaultIgnores = parseIgnore(defaultIgnoreText);
