/** The role of a file, by its path: code that does the work ranks above tests, examples and other files around it. */

/** One bit each, as the index stores them. */
export const fileRoles = {
  test: 1,
  example: 2,
  /** Files that only export what others define: `__init__.py`, `index.ts`. */
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

const patterns: readonly (readonly [FileRole, RegExp])[] = [
  [
    "test",
    /(?:^|\/)(?:tests?|specs?|__tests__|testing|testdata|fixtures|mocks?)\/|[._-](?:test|spec)\.|(?:^|\/)test_|_test\.|(?:Test|Tests|Spec)\.\w+$/,
  ],
  ["example", /(?:^|\/)(?:examples?|samples?|demos?|docs?|benchmarks?|bench)\//],
  ["gateway", /(?:^|\/)(?:__init__\.py|index\.[cm]?[jt]sx?|mod\.rs|package-info\.java)$/],
  ["declaration", /\.d\.[cm]?ts$/],
  ["prose", /\.(?:md|mdx|rst|txt|adoc|markdown|html?|json|ya?ml|toml|lock|cfg|ini|css|scss|svg|xml|csv)$/i],
  ["vendored", /(?:^|\/)(?:_?vendor|vendored|third[_-]?party|3rd[_-]?party)\//i],
  ["generated", /(?:^|\/)(?:__generated__|generated)\/|\.pb\.\w+$|_pb2(?:_grpc)?\.pyi?$|\.(?:g|gen|generated)\.\w+$/i],
  ["compatibility", /(?:^|[/_.-])(?:compat|legacy|deprecated|polyfills?|shims?)(?:[/_.-]|$)/i],
];

/** The roles of a file as bits. */
export function findFileRoles(path: string): number {
  return patterns.reduce((roles, [role, pattern]) => (pattern.test(path) ? roles | fileRoles[role] : roles), 0);
}
