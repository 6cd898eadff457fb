/** The role of a file, by its path and its lines: code that does the work ranks above tests, examples and other files around it. */
import type { Lines } from "./chunk.ts";

/** One bit each, as the index stores them. */
export const fileRoles = {
  test: 1,
  example: 2,
  /** Files that only export what others define. */
  gateway: 4,
  declaration: 8,
  prose: 16,
  compatibility: 32,
  /** Third-party code in the repository. */
  vendored: 64,
  /** Made by a tool from a source that is worth finding instead. */
  generated: 128,
} as const;
export type FileRole = keyof typeof fileRoles;
/** The bits of all roles. */
export const ALL_ROLES = Object.values(fileRoles).reduce((bits, bit) => bits | bit, 0);

const patterns: readonly (readonly [FileRole, RegExp])[] = [
  [
    "test",
    /(?:^|\/)(?:[Tt]ests?|[Ss]pecs?|__tests__|testing|testdata|testsuite|regress|fixtures|mocks?)\/|[._-][Tt]ests?\/|(?:^|\/)[a-z]\w*Tests?\/|[._-](?:test|spec)\.|(?:^|\/)test_|_test\.|(?:Test|Tests|Spec)\.\w+$/,
  ],
  ["example", /(?:^|\/)(?:examples?|samples?|demos?|docs?|benchmarks?|bench)\//],
  ["declaration", /\.d\.[cm]?ts$/],
  ["prose", /\.(?:md|mdx|rst|txt|adoc|markdown|html?|json|ya?ml|toml|lock|cfg|ini|css|scss|svg|xml|csv)$/i],
  /** Manual pages and other sources of documents, and what repositories have beside their code without an extension. */
  ["prose", /\.(?:[1-9]|man|mdoc|roff|tex|texi(?:nfo)?|pod|org)$/i],
  [
    "prose",
    /(?:^|\/)(?:README|CHANGES|Changes|CHANGELOG|ChangeLog|HISTORY|NEWS|TODO|FAQ|INSTALL|AUTHORS|CONTRIBUTORS|THANKS|NOTICE|LICEN[CS]E|COPYING)$/,
  ],
  ["vendored", /(?:^|\/)(?:_?vendor|vendored|third[_-]?party|3rd[_-]?party)\//i],
  ["generated", /(?:^|\/)(?:__generated__|generated)\/|\.pb\.\w+$|_pb2(?:_grpc)?\.pyi?$|\.(?:g|gen|generated)\.\w+$/i],
  ["compatibility", /(?:^|[/_.-])(?:compat|legacy|deprecated|polyfills?|shims?)(?:[/_.-]|$)/i],
];

/** Whether a file is a document or data by its name, not source. */
export const isDocument = (path: string): boolean =>
  patterns.some(([role, pattern]) => role === "prose" && pattern.test(path));

/** The roles of a file as bits. `definesSomething` says whether it defines a function or a type. */
export function findFileRoles(path: string, text: string, definesSomething: boolean): number {
  const roles = patterns.reduce((bits, [role, pattern]) => (pattern.test(path) ? bits | fileRoles[role] : bits), 0);
  const isGateway = !definesSomething && (roles & fileRoles.prose) === 0 && isMostlyExports(text);
  return isGateway ? roles | fileRoles.gateway : roles;
}

/** Lines that name what is in other files, in any language. */
const exportLine =
  /^\s*(?:export\s*(?:type\s*)?[*{]|\}\s*from\b|(?:from|import|use|require|include|package|namespace|module\.exports|__all__|mod)\b|pub(?:\(\w+\))?\s+(?:use|mod|extern)\b|#\s*(?:include|pragma|if|endif|define|import)\b|@_exported)/;
/** Names in a list of exports, and what closes the list. */
const listLine = /^\s*(?:[\w$.:*]+(?:\s+as\s+[\w$]+)?|["'][\w$./-]+["'])?\s*[,;)}\]]+\s*[,;]?\s*$/;
const commentLine = /^\s*(?:\/\/|\/?\*|#(?!\s*(?:include|pragma|if|endif|define|import)\b)|--|"""|\{-|\}|$)/;
/** A longer file has a content of its own. */
const MAX_GATEWAY_CHARS = 40_000;
const MIN_EXPORT_SHARE = 0.7;

function isMostlyExports(text: string): boolean {
  if (text.length > MAX_GATEWAY_CHARS) return false;
  let [exports, others] = [0, 0];
  for (const line of text.split("\n")) {
    if (exportLine.test(line)) exports += 1;
    else if (!commentLine.test(line) && !(exports > 0 && listLine.test(line))) others += 1;
  }
  return exports > 0 && exports >= (exports + others) * MIN_EXPORT_SHARE;
}

/** The forms are those of code, with what follows the word: a line of prose may begin with it too. */
const importLine = new RegExp(
  `^\\s*(?:${[
    /import\s*\(\s*$/, // Go; not the call `import("...")`.
    /import\s+(?:(?:type|typeof|static|qualified)\s+)*(?:["'{*]|[\w.$*@]+(?:\s*[;,{]|\s+(?:as|from|qualified|hiding)\b|\s*(?:\(.*)?$))/,
    /from\s+\S+\s+import\b/,
    /(?:pub(?:\([\w ]+\))?\s+)?use\s+(?:[\w:.\\]+(?:\s*[;,{]|\s+as\s|\s*$)|\{)/,
    /(?:global\s+)?using\s+(?:static\s+)?[\w.]+\s*(?:=[^;(]*)?;/,
    /#\s*(?:include|import)\b/,
    /@import\b/,
    /(?:require|require_relative|require_once|include|include_once)\s*\(?\s*["']/,
    /package\s+[\w.]+\s*;?\s*$/,
    /alias\s+[A-Z][\w.]*(?:\{|,|\s*$)/,
    /export\s+(?:type\s+)?[*{].*\bfrom\b/,
    /(?:const|let|var|local)\s+[^=]+=\s*(?:await\s+)?(?:require|import)\s*\(/,
  ]
    .map(({ source }) => source)
    .join("|")})`,
);

/** A text without any of these words has no import. Most texts below the beginning of a file have none. */
const importWord = /\b(?:import|us(?:e|ing)|(?:include|require)(?:_once|_relative)?|package|alias|export)\b/;

/** For each line whether it imports something; those inside the brackets of an import do too. */
export function findImportLines(text: string, { starts, count }: Lines): boolean[] {
  if (!importWord.test(text)) return new Array<boolean>(count).fill(false);
  let closing: string | null = null;
  return Array.from({ length: count }, (_, number) => {
    const line = text.slice(starts[number], starts[number + 1]);
    const isImport = closing !== null || importLine.test(line);
    if (closing !== null) closing = line.includes(closing) ? null : closing;
    else if (isImport) closing = closingOf(line);
    return isImport;
  });
}

/** What closes the bracket that the line leaves open; null where it leaves none. */
function closingOf(line: string): string | null {
  const open = /[{(](?=[^})]*$)/.exec(line)?.[0];
  if (open === undefined) return null;
  return open === "{" ? "}" : ")";
}
