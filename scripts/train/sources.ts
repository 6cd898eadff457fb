/** Which files training pairs are taken from. */

/** Source files, by their names. */
export const sourceName =
  /\.(?:py|pyi|rb|ex|exs|sh|bash|lua|hs|jsx?|tsx?|mjs|go|rs|java|kt|php|c|h|cc|cpp|hpp|cs|swift|scala|zig)$/;

/** Files of others, generated ones, data and examples. */
export const excludedPath =
  /(?:^|\/)(?:vendor|third[_-]?party|node_modules|deps|dist|build|generated|gen|testdata|fixtures?|locales?|i18n|examples?|samples?|bench\w*)(?:\/|$)|\.min\.|\.pb\.|_pb2|\.generated\./i;

/** Files of tests. */
export const testPath =
  /(?:^|\/)(?:tests?|specs?|__tests__|testing|e2e)(?:\/|$)|[._](?:test|spec)\.|(?:Tests?|Spec)\.\w+$|(?:^|\/)test_/i;

/** Documents of prose. */
export const documentName = /\.(?:md|mdx|rst|adoc)$|(?:^|\/)docs\/.*\.txt$/i;

/** Documents that are lists of changes, of people or of rules. */
export const excludedDocument =
  /(?:^|\/)(?:vendor|third[_-]?party|node_modules|deps|generated|testdata|fixtures?|tests?|i18n|translations?|rfcs?)\/|change-?log|changes|history|news|release|licen[sc]e|contribut|code_of_conduct|security|authors|whatsnew|governance|notes?\b|(?:zh|ja|ko|ru|es|fr|de|pt|cn)\b/i;
