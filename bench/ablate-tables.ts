/** The rows of the classifier's tables as rules: wordings, vetoes, number signs, lexemes and each word of them. */
import { loadWithout, type Rule } from "./ablate-hook.ts";

const folder = "overflow/classify";

/** A table of the classifier: its rows by name, and a rule that switches some of them off. */
export type Table = {
  readonly name: string;
  readonly rows: readonly string[];
  readonly without: (rows: ReadonlySet<string>) => Rule;
};

type Row = Readonly<Record<string, unknown>>;
type Lexeme = readonly [concept: string, words: RegExp];

/** The tables whose rows are removed as a whole. */
const rowTables = [
  { name: "wordings", module: "wordings.ts", target: "wordings", nameOf: ({ form }: Row) => String(form) },
  { name: "vetoes", module: "classify.ts", target: "vetoes", nameOf: ({ concept }: Row) => String(concept) },
  { name: "signs", module: "number-roles.ts", target: "signs", nameOf: nameOfSign },
  { name: "role words", module: "number-roles.ts", target: "roleWords", nameOf: ({ role }: Row) => String(role) },
  { name: "addends", module: "number-roles.ts", target: "addends", nameOf: nameOfSign },
] as const;

function nameOfSign({ role, before, after }: Row): string {
  return `${role}: ${[before, "number", after].filter(Boolean).map(String).join(" ")}`;
}

/** Functions and patterns for one kind of message each. */
const singleRules: readonly (readonly [module: string, target: string, off: Rule["off"]])[] = [
  ["classify.ts", "judgeByPath", () => () => undefined],
  ["classify.ts", "judgeByFigures", () => () => undefined],
  ["classify.ts", "judgeBySizes", () => () => undefined],
  ["classify.ts", "judgeByLimit", () => () => undefined],
  ["classify.ts", "judgeByStatus", () => () => undefined],
  ["classify.ts", "vetoByStatus", () => () => undefined],
  ["classify.ts", "asksToCutInput", () => () => false],
  ["classify.ts", "isMessageSize", () => () => false],
  ["classify.ts", "isModelTooSmall", () => () => false],
  ["classify.ts", "isNegativeOutput", () => () => false],
  ["classify.ts", "isServerFault", () => () => false],
  ["classify.ts", "isImplausible", () => () => false],
  ["classify.ts", "isSharedWindow", () => () => false],
  ["classify.ts", "hasOutputSetting", () => () => false],
  ["classify.ts", "refineRequestBytes", () => () => "request_bytes"],
  ["classify.ts", "isSingleRequest", () => () => false],
  ["lexicon.ts", "guess", () => /(?!)/],
  ["named-parts.ts", "programName", () => /(?!)/],
  ["channel.ts", "isErrorProse", () => () => false],
  ["channel.ts", "isBareMessage", () => () => false],
  ["figures.ts", "splitTwoLimits", () => () => undefined],
  ["figures.ts", "findLarger", () => () => undefined],
  ["figures.ts", "findSmaller", () => () => undefined],
  ["figures.ts", "sizeFieldsAsText", () => () => ""],
  ["figures.ts", "removeStatus", () => (text: string) => text],
];

/** The rules that are not rows of a table. */
export const classifierRules: readonly Rule[] = singleRules.map(([module, target, off]) => ({
  name: target,
  module: `${folder}/${module}`,
  target,
  off,
}));

/** All tables, as the product has them now. */
export async function readTables(): Promise<readonly Table[]> {
  const tables: Table[] = [];
  for (const { name, module, target, nameOf } of rowTables) {
    const rows = (await readTable<Row>(module, target)).map(nameOf);
    const off = (removed: ReadonlySet<string>) => (original: readonly Row[]) =>
      original.filter((row) => !removed.has(nameOf(row)));
    tables.push({ name, rows, without: (removed) => ruleFor(name, module, target, removed, off(removed)) });
  }
  const lexicon = await readTable<Lexeme>("lexicon.ts", "lexicon");
  return [
    ...tables,
    lexiconTable("lexemes", lexicon, ([concept], index) => `${index} ${concept}`),
    lexiconTable("words", lexicon, ([concept], index, word) => `${index} ${concept}: ${word}`),
  ];
}

/** The lexicon as a table; words that get the same name are one row. */
function lexiconTable(
  name: string,
  lexicon: readonly Lexeme[],
  nameOf: (lexeme: Lexeme, index: number, word: string) => string,
): Table {
  const rows = lexicon.flatMap((lexeme, index) => splitPattern(lexeme[1]).map((word) => nameOf(lexeme, index, word)));
  const off = (removed: ReadonlySet<string>) => (original: readonly Lexeme[]) =>
    original.map((lexeme, index): Lexeme => {
      const kept = splitPattern(lexeme[1]).filter((word) => !removed.has(nameOf(lexeme, index, word)));
      return [lexeme[0], kept.length === 0 ? /(?!)/ : new RegExp(kept.join("|"), lexeme[1].flags)];
    });
  const without = (removed: ReadonlySet<string>) => ruleFor(name, "lexicon.ts", "lexicon", removed, off(removed));
  return { name, rows: [...new Set(rows)], without };
}

let variants = 0;

function ruleFor(table: string, module: string, target: string, removed: ReadonlySet<string>, off: Rule["off"]): Rule {
  variants += 1;
  const [only] = removed.size === 1 ? removed : [];
  return {
    name: only === undefined ? `${table} ${variants}` : `${table}, ${only}`,
    module: `${folder}/${module}`,
    target,
    off,
  };
}

/** The rows of a table that its module may not export. */
async function readTable<T>(module: string, target: string): Promise<readonly T[]> {
  let table: readonly T[] = [];
  const off = (original: readonly T[]) => {
    table = original;
    return original;
  };
  const path = `${folder}/${module}`;
  await loadWithout({ name: `read ${target}`, module: path, target, off }, path);
  return table;
}

/** The alternatives of a pattern: the parts between `|` that are outside of groups and classes. */
export function splitPattern({ source }: RegExp): readonly string[] {
  const parts: string[] = [];
  let [depth, start, isClass] = [0, 0, false];
  for (let index = 0; index < source.length; index += 1) {
    const sign = source[index];
    if (sign === "\\") index += 1;
    else if (isClass) isClass = sign !== "]";
    else if (sign === "[") isClass = true;
    else if (sign === "(") depth += 1;
    else if (sign === ")") depth -= 1;
    else if (sign === "|" && depth === 0) {
      parts.push(source.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, source.slice(start)];
}
