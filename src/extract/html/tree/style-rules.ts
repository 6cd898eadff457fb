/**
 * Reads the rules of a page's own style elements, as far as they choose elements by tag, class and id alone. What any
 * other rule sets is unknown: it may apply or not.
 */
import type { Element } from "./tree.ts";

/** A style element of the page. */
export type StyleSheet = { readonly css: string; readonly media: string };

/** The value of a property of an element, if a rule sets it; null where that cannot be decided. */
type Declared = { readonly value: string | null };

/** Finds what the rules set for an element. */
export type StyleRules = {
  /** Whether other stylesheets may apply too. */
  readonly hasImports: boolean;
  /** What counts for the element; with `onlyImportant`, what counts more than the element's own style. */
  find(element: Element, property: string, onlyImportant?: boolean): Declared | undefined;
};

/** What a block of declarations sets, by a name for the property. */
export type Declarations = ReadonlyMap<string, { readonly value: string; readonly isImportant: boolean }>;

type Rule = {
  /** What the element must be, as keys: `p`, `.note`, `#top`. */
  readonly keys: readonly string[];
  readonly isCertain: boolean;
  readonly weight: number;
  readonly declarations: Declarations;
};

/** More comparisons of rules with elements than any real page needs; after them, everything is unknown. */
const MAX_COMPARISONS = 5_000_000;

type ReadBlock = (block: string) => Declarations;

/** The rules of these style elements, as far as `readBlock` finds something in their blocks. */
export function readStyleRules(sheets: readonly StyleSheet[], readBlock: ReadBlock): StyleRules {
  const rules = new Map<string, Rule[]>();
  /** What any rule sets. */
  const properties = new Set<string>();
  let hasImports = false;
  let comparisons = 0;
  for (const { css, media } of sheets) {
    const text = simplify(css);
    hasImports ||= /@import/i.test(text);
    for (const rule of readRules(text, isScreen(media), readBlock)) {
      const key = rule.keys.at(-1) ?? "*";
      for (const property of rule.declarations.keys()) properties.add(property);
      const sameKey = rules.get(key);
      if (sameKey === undefined) rules.set(key, [rule]);
      else sameKey.push(rule);
    }
  }

  function search(
    { tag, attributes: { class: className = "", id = "" } }: Element,
    property: string,
    onlyImportant: boolean,
  ) {
    const keys = listKeys(tag, className, id);
    let best: { readonly value: string; readonly weight: number } | undefined;
    for (const rule of keys.values().flatMap((key) => rules.get(key) ?? [])) {
      if (++comparisons > MAX_COMPARISONS) return { value: null };
      const declared = rule.declarations.get(property);
      if (declared === undefined || (onlyImportant && !declared.isImportant)) continue;
      if (!rule.keys.every((key) => keys.has(key))) continue;
      if (!rule.isCertain) return { value: null };
      const weight = rule.weight + (declared.isImportant ? IMPORTANT_WEIGHT : 0);
      if (best === undefined || weight >= best.weight) best = { value: declared.value, weight };
    }
    return best;
  }

  /** What was found for elements with the same tag, classes and id, which most share with others. */
  const foundByNames = new Map<string, Map<string, Declared | undefined>>();
  const foundByIndex: (Map<string, Declared | undefined> | undefined)[] = [];
  const nothing = new Map<string, Declared | undefined>();

  function findShared({
    tag,
    attributes: { class: className = "", id = "" },
  }: Element): Map<string, Declared | undefined> {
    const names = className === "" && id === "" ? tag : `${tag}\n${className}\n${id}`;
    const shared = foundByNames.get(names) ?? new Map();
    foundByNames.set(names, shared);
    return shared;
  }

  /** Whether each class attribute has a name that a rule chooses by. */
  const chosenClasses = new Map<string, boolean>();

  function isChosen({ tag, attributes: { class: className, id } }: Element): boolean {
    if (rules.has("*") || rules.has(tag) || (id !== undefined && rules.has(`#${id}`))) return true;
    if (className === undefined) return false;
    let chosen = chosenClasses.get(className);
    if (chosen === undefined) {
      chosen = className.split(/\s+/).some((name) => rules.has(`.${name}`));
      chosenClasses.set(className, chosen);
    }
    return chosen;
  }

  function find(element: Element, property: string, onlyImportant = false): Declared | undefined {
    if (!properties.has(property)) return undefined;
    const found = foundByIndex[element.index] ?? (isChosen(element) ? findShared(element) : nothing);
    foundByIndex[element.index] = found;
    if (found === nothing) return undefined;
    const question = onlyImportant ? `${property}!` : property;
    if (!found.has(question)) found.set(question, search(element, property, onlyImportant));
    return found.get(question);
  }
  return { hasImports, find };
}

/** Specificity: an id outweighs all classes, a class all tags, and the later of equal rules counts. */
const ID_WEIGHT = 1e10;
const CLASS_WEIGHT = 1e8;
const TAG_WEIGHT = 1e6;
const IMPORTANT_WEIGHT = 1e13;

function listKeys(tag: string, className: string, id: string): ReadonlySet<string> {
  const keys = new Set(["*", tag]);
  for (const name of className.match(/\S+/g) ?? []) keys.add(`.${name}`);
  if (id !== "") keys.add(`#${id}`);
  return keys;
}

/** Without comments, texts and addresses, whose braces and semicolons are no syntax. */
function simplify(css: string): string {
  return css
    .replace(/<!--|-->|\/\*[\s\S]*?(?:\*\/|$)/g, " ")
    .replace(/"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/g, '""')
    .replace(/url\([^)]*\)?/gi, "url()")
    .replace(/\\(?:([0-9a-f]{1,6})\s?|([^0-9a-f]))/gi, (_, code?: string, character = "") => {
      const letter = code === undefined ? character : String.fromCharCode(Number.parseInt(code, 16));
      return /[\w-]/.test(letter) ? letter : "_";
    });
}

const isScreen = (condition: string): boolean => /^\s*(?:only\s+)?(?:all|screen)?\s*$/i.test(condition);

/** A rule inside another one or under a condition is uncertain. */
function* readRules(css: string, isPlain: boolean, readBlock: ReadBlock): Generator<Rule> {
  /** Whether each open block is plain: neither a rule nor a condition. */
  const contexts: boolean[] = [];
  let uncertainCount = 0;
  const open = (isPlainContext: boolean) => {
    contexts.push(isPlainContext);
    if (!isPlainContext) uncertainCount += 1;
  };
  let order = 0;
  let start = 0;
  const marks = /[{};]/g;
  for (let match = marks.exec(css); match !== null; match = marks.exec(css)) {
    const prelude = css.slice(start, match.index).trim();
    start = marks.lastIndex;
    if (match[0] === "}") {
      if (contexts.pop() === false) uncertainCount -= 1;
    } else if (match[0] === "{" && prelude.startsWith("@")) {
      const [, name = "", condition = ""] = /^@(\S+)([\s\S]*)$/.exec(prelude) ?? [];
      if (groupNames.test(name)) open(/^layer$/i.test(name) || (/^media$/i.test(name) && isScreen(condition)));
      else start = findBlockEnd(css, start);
    } else if (match[0] === "{") {
      const end = findBrace(css, start);
      const declarations = readBlock(css.slice(start, end));
      yield* makeRules(prelude, declarations, isPlain && uncertainCount === 0, order++);
      // Rules may follow inside of this one.
      if (css[end] === "{") open(false);
      else start = end + 1;
    }
    marks.lastIndex = start;
  }
}

/** The index of the next brace, or the end. */
function findBrace(css: string, start: number): number {
  braces.lastIndex = start;
  return braces.exec(css)?.index ?? css.length;
}
const braces = /[{}]/g;

const groupNames = /^(?:media|supports|layer|container|scope|document)$/i;

/** After the brace that ends a block. */
function findBlockEnd(css: string, start: number): number {
  let depth = 1;
  for (let brace = findBrace(css, start); brace < css.length; brace = findBrace(css, brace + 1)) {
    depth += css[brace] === "{" ? 1 : -1;
    if (depth === 0) return brace + 1;
  }
  return css.length;
}

function* makeRules(selectors: string, declarations: Declarations, isCertain: boolean, order: number): Generator<Rule> {
  if (declarations.size === 0) return;
  for (const selector of selectors.split(",")) {
    // What an element looks like while it is pointed at, and what is put before or after it, is not its own look.
    if (/::|:(?:before|after|hover|focus|active|visited|target|selection|placeholder)\b/i.test(selector)) continue;
    const last =
      selector
        .trim()
        .split(/[\s>+~]+/)
        .at(-1) ?? "";
    const keys = readKeys(last);
    const weight = keys.reduce((sum, key) => sum + weightOf(key), order);
    yield { keys, isCertain: isCertain && isSimple(selector), weight, declarations };
  }
}

/** `p.note#top` as keys, the most telling one last. */
function readKeys(compound: string): string[] {
  const bare = compound.replace(/:root/i, "html").replace(/\[[^\]]*\]?|:[\w-]+(?:\([^)]*\)?)?/g, "");
  const keys = bare.match(/[.#]?[^.#*\s]+/g) ?? [];
  return keys
    .map((key) => (/^[.#]/.test(key) ? key : key.toLowerCase()))
    .sort((one, other) => weightOf(one) - weightOf(other));
}

const isSimple = (selector: string): boolean =>
  /^\s*(?::root|\*|[\w-]*)(?:[.#][\w\-\u0080-\uffff]+)*\s*$/i.test(selector);

function weightOf(key: string): number {
  if (key.startsWith("#")) return ID_WEIGHT;
  return key.startsWith(".") ? CLASS_WEIGHT : TAG_WEIGHT;
}
