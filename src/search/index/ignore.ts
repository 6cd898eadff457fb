/** Ignore files as git reads them, matched without regular expressions: a pattern from a stranger cannot stall a walk. */

/** The rules of one ignore file. Most name a file or an ending, which is looked up instead of tried. */
export type IgnoreRules = {
  readonly byName: ReadonlyMap<string, readonly Rule[]>;
  readonly byEnding: ReadonlyMap<string, readonly Rule[]>;
  readonly others: readonly Rule[];
};

type Rule = {
  /** Its place in the file: the last one that matches decides. */
  readonly order: number;
  readonly negated: boolean;
  readonly folderOnly: boolean;
  /** The pattern between slashes; `**` stands for any number of folders. */
  readonly segments: readonly string[];
};

/** A file of more rules is read up to here. */
const mostRules = 10_000;

/** Reads the text of an ignore file. https://git-scm.com/docs/gitignore#_pattern_format */
export function parseIgnore(text: string): IgnoreRules {
  const byName = new Map<string, Rule[]>();
  const byEnding = new Map<string, Rule[]>();
  const others: Rule[] = [];
  for (const rule of text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/, mostRules)
    .flatMap(parseLine)) {
    const name = plainNameOf(rule);
    const ending = name === null ? endingOf(rule) : null;
    if (name !== null) byName.set(name, [...(byName.get(name) ?? []), rule]);
    else if (ending !== null) byEnding.set(ending, [...(byEnding.get(ending) ?? []), rule]);
    else others.push(rule);
  }
  return { byName, byEnding, others };
}

/** The name of a rule that is nothing but a name, at any depth. */
function plainNameOf({ segments: [any, name = "", ...rest] }: Rule): string | null {
  return any === "**" && rest.length === 0 && !/[*?[\\]/.test(name) ? name : null;
}

/** The ending of a rule like `*.map`, at any depth. */
function endingOf({ segments: [any, name = "", ...rest] }: Rule): string | null {
  return any === "**" && rest.length === 0 && /^\*\.[^.*?[\\]+$/.test(name) ? name.slice(1) : null;
}

function parseLine(line: string, order: number): Rule[] {
  const trimmed = withoutTrailingBlanks(line);
  if (trimmed === "" || trimmed.startsWith("#")) return [];
  const negated = trimmed.startsWith("!");
  const pattern = negated ? trimmed.slice(1) : trimmed;
  const folderOnly = pattern.endsWith("/");
  const body = folderOnly ? pattern.slice(0, -1) : pattern;
  if (body === "") return [];
  const anchored = body.includes("/");
  const segments = body.replace(/^\//, "").split("/");
  return [{ order, negated, folderOnly, segments: anchored ? segments : ["**", ...segments] }];
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
  if (rules.others.length > 0) {
    const names = path.split("/");
    for (const rule of rules.others) if (matchesSegments(rule.segments, names)) consider(rule);
  }
  if (last === undefined) return null;
  return last.negated ? "kept" : "ignored";
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

/** `*`, `?`, `[a-z]`, `[!a]` and `\` inside one name. */
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

function matchClass(pattern: string, start: number, character: string): number {
  const negated = pattern[start + 1] === "!" || pattern[start + 1] === "^";
  const first = start + (negated ? 2 : 1);
  // A bracket right after the opening one is a member.
  const end = pattern.indexOf("]", first + 1);
  if (end === -1) return character === "[" ? 1 : 0;
  return isInClass(pattern.slice(first, end), character) === negated ? 0 : end - start + 1;
}

function isInClass(members: string, character: string): boolean {
  for (let at = 0; at < members.length; at++) {
    if (members[at] === "\\") at++;
    const from = members[at] ?? "";
    const isRange = members[at + 1] === "-" && at + 2 < members.length;
    const to = isRange ? (members[at + 2] ?? "") : from;
    if (from <= character && character <= to) return true;
    if (isRange) at += 2;
  }
  return false;
}

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
