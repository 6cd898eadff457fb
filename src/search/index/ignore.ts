/** Ignore files as git reads them, matched without regular expressions: a pattern from a stranger cannot stall a walk. */

/** The rules of one ignore file. Most name a file or an ending, which is looked up instead of tried. */
export type IgnoreRules = {
  readonly byName: ReadonlyMap<string, readonly Rule[]>;
  readonly byEnding: ReadonlyMap<string, readonly Rule[]>;
  /** Patterns of a name at any depth. */
  readonly names: readonly (Rule & { readonly pattern: string })[];
  readonly paths: readonly Rule[];
};

type Rule = {
  /** Its place in the file: the last one that matches decides. */
  readonly order: number;
  readonly negated: boolean;
  readonly folderOnly: boolean;
  /** What a path must begin with, wherever in a name that ends. */
  readonly prefix: string;
  /** The rest of the pattern between slashes; `**` stands for any number of folders. */
  readonly segments: readonly string[];
};

/** A file of more rules is read up to here. */
const mostRules = 10_000;

/**
 * Reads the text of an ignore file. https://git-scm.com/docs/gitignore#_pattern_format
 * Rules that would hide one of the `wanted` folders are left out: who names a folder wants to see into it.
 */
export function parseIgnore(text: string, wanted: readonly string[] = []): IgnoreRules {
  const byName = new Map<string, Rule[]>();
  const byEnding = new Map<string, Rule[]>();
  const names: (Rule & { pattern: string })[] = [];
  const paths: Rule[] = [];
  for (const rule of text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/, mostRules)
    .flatMap(parseLine)
    .filter((rule) => rule.negated || !wanted.some((folder) => matchesPath(rule, folder)))) {
    const [any, pattern = "", ...rest] = rule.segments;
    if (rule.prefix !== "" || any !== "**" || rest.length > 0 || pattern === "**") paths.push(rule);
    else if (!/[*?[\\]/.test(pattern)) byName.set(pattern, [...(byName.get(pattern) ?? []), rule]);
    else if (/^\*\.[^.*?[\\]+$/.test(pattern)) {
      const ending = pattern.slice(1);
      byEnding.set(ending, [...(byEnding.get(ending) ?? []), rule]);
    } else names.push({ ...rule, pattern });
  }
  return { byName, byEnding, names, paths };
}

function parseLine(line: string, order: number): Rule[] {
  const trimmed = withoutTrailingBlanks(line);
  if (trimmed === "" || trimmed.startsWith("#")) return [];
  const negated = trimmed.startsWith("!");
  const pattern = negated ? trimmed.slice(1) : trimmed;
  const folderOnly = pattern.endsWith("/");
  const body = folderOnly ? pattern.slice(0, -1) : pattern;
  if (body === "") return [];
  if (!body.includes("/")) return [{ order, negated, folderOnly, prefix: "", segments: ["**", body] }];
  const { prefix, rest } = parted(body.replace(/^\//, ""));
  const segments = rest.split("/").map((segment) => segment.replace(/^\*{3,}$/, "**"));
  return [{ order, negated, folderOnly, prefix, segments }];
}

/** git compares what stands before the first wildcard by itself, so that `a**\/b` is `a` and then `**\/b`. */
function parted(pattern: string): { readonly prefix: string; readonly rest: string } {
  const prefix = /^[^*?[\\]*[^*?[\\/](?=\*\*+(?:\/|$))/.exec(pattern)?.[0] ?? "";
  return { prefix, rest: pattern.slice(prefix.length) };
}

/** Blanks at the end do not count, unless the last of them is escaped. */
function withoutTrailingBlanks(line: string): string {
  const trimmed = line.replace(/ +$/, "");
  return trimmed.endsWith("\\") && trimmed.length < line.length ? `${trimmed} ` : trimmed;
}

/**
 * What these rules say of a path relative to their folder: ignored, kept by a `!` rule, or nothing. The last rule that
 * matches decides; folders are asked before what is in them, as git does.
 */
export function judge(rules: IgnoreRules, path: string, isFolder: boolean): "ignored" | "kept" | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  let last: Rule | undefined;
  const consider = (rule: Rule) => {
    if ((isFolder || !rule.folderOnly) && rule.order >= (last?.order ?? 0)) last = rule;
  };
  rules.byName.get(name)?.forEach(consider);
  const dot = name.lastIndexOf(".");
  if (dot !== -1) rules.byEnding.get(name.slice(dot))?.forEach(consider);
  for (const rule of rules.names) if (matchesName(rule.pattern, name)) consider(rule);
  for (const rule of rules.paths) if (matchesPath(rule, path)) consider(rule);
  if (last === undefined) return null;
  return last.negated ? "kept" : "ignored";
}

function matchesPath({ prefix, segments }: Rule, path: string): boolean {
  return path.startsWith(prefix) && matchesSegments(segments, path.slice(prefix.length).split("/"));
}

/** One way back is remembered, to the last `**`: enough, as an earlier one could only match less. */
function matchesSegments(segments: readonly string[], names: readonly string[]): boolean {
  let [segment, name, star, mark] = [0, 0, -1, 0];
  while (name < names.length) {
    if (segments[segment] === "**") {
      [star, mark] = [segment++, name];
      // A closing `**` means everything inside, so at least one name.
      if (segment === segments.length) return true;
    } else if (segment < segments.length && matchesName(segments[segment] ?? "", names[name] ?? "")) {
      segment++;
      name++;
    } else if (star !== -1) {
      segment = star + 1;
      name = ++mark;
    } else return false;
  }
  return segment === segments.length;
}

/** `*`, `?`, `[a-z]`, `[!a]`, `[[:digit:]]` and `\` inside one name. */
function matchesName(pattern: string, name: string): boolean {
  let [at, place, star, mark] = [0, 0, -1, 0];
  while (place < name.length) {
    const step = at < pattern.length && pattern[at] !== "*" ? matchOne(pattern, at, name[place] ?? "") : 0;
    if (step > 0) {
      at += step;
      place++;
    } else if (pattern[at] === "*") {
      [star, mark] = [at++, place];
    } else if (star !== -1) {
      at = star + 1;
      place = ++mark;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

/** How many characters of the pattern match this one, 0 for none. */
function matchOne(pattern: string, at: number, character: string): number {
  const sign = pattern[at];
  if (sign === "?") return 1;
  if (sign === "\\") return pattern[at + 1] === character ? 2 : 0;
  if (sign === "[") return matchClass(pattern, at, character);
  return sign === character ? 1 : 0;
}

/** A set of characters in brackets; one that is not closed, or names a class there is none of, matches nothing. */
function matchClass(pattern: string, start: number, character: string): number {
  const negated = pattern[start + 1] === "!" || pattern[start + 1] === "^";
  const first = start + (negated ? 2 : 1);
  let matched = false;
  let before: string | null = null;
  // A bracket right after the opening one is a member.
  for (let at = first; at < pattern.length; ) {
    if (pattern[at] === "]" && at > first) return matched === negated ? 0 : at - start + 1;
    const member = readMember(pattern, at, before, character);
    if (member === null) return 0;
    matched ||= member.matched;
    before = member.from;
    at = member.end;
  }
  return 0;
}

/** A member of a set: where it ends, whether it is the character, and what a range may begin with after it. */
type Member = { readonly end: number; readonly matched: boolean; readonly from: string | null };

function readMember(pattern: string, at: number, before: string | null, character: string): Member | null {
  const sign = pattern[at];
  if (sign === "-" && before !== null && at + 1 < pattern.length && pattern[at + 1] !== "]") {
    const last = readLiteral(pattern, at + 1);
    return last && { end: last.end, matched: before <= character && character <= last.text, from: null };
  }
  const named = sign === "[" && pattern[at + 1] === ":" ? pattern.indexOf("]", at + 2) : -1;
  if (named > at + 2 && pattern[named - 1] === ":") {
    const kind = characterKinds.get(pattern.slice(at + 2, named - 1));
    return kind === undefined ? null : { end: named + 1, matched: kind.test(character), from: null };
  }
  const literal = readLiteral(pattern, at);
  return literal && { end: literal.end, matched: literal.text === character, from: literal.text };
}

function readLiteral(pattern: string, at: number): { readonly text: string; readonly end: number } | null {
  const place = pattern[at] === "\\" ? at + 1 : at;
  const text = pattern[place];
  return text === undefined ? null : { text, end: place + 1 };
}

/** What may stand as `[:name:]` in a set. */
const characterKinds: ReadonlyMap<string, RegExp> = new Map([
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

/** Never worth a search result: other people's code, caches, secrets, and what tools write for themselves. */
export const defaultIgnores = parseIgnore(
  `.git/ .hg/ .svn/ .jj/ node_modules/ bower_components/ __pycache__/ .venv/ venv/ .tox/ .nox/ .mypy_cache/ .pytest_cache/
.ruff_cache/ .gradle/ .idea/ .next/ .nuxt/ .svelte-kit/ .terraform/ .cache/ .parcel-cache/ .turbo/ .yarn/ .pnpm-store/ .eggs/
*.egg-info/ .dart_tool/ .bundle/ .stack-work/ dist-newstyle/ zig-cache/ .zig-cache/ .DS_Store *.min.js *.min.css *.map
package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock Cargo.lock poetry.lock uv.lock Pipfile.lock go.sum
composer.lock Gemfile.lock Podfile.lock pubspec.lock mix.lock flake.lock .env .env.* !.env.example *.pem *.key *.p12 *.pfx`
    .split(/\s+/)
    .join("\n"),
);
