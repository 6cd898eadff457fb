/**
 * Reads the rules of a page's own style elements, as far as they choose elements by tag, class and id alone. What any
 * other rule sets is unknown: it may apply or not.
 */
import type { Element } from "./tree.ts";

/** A style element of the page. */
export type StyleSheet = { readonly css: string; readonly media: string };

/** The value of a property of an element, if a rule sets it; null where that cannot be decided. */
type Declared = { readonly value: string | null };

/** What the rules set for all elements with the same tag, classes and id. */
export type ElementStyle = {
  /** What counts for the element; with `onlyImportant`, what counts more than the element's own style. */
  find(property: string, onlyImportant: boolean): Declared | undefined;
};

/** Finds what the rules set for an element. */
export type StyleRules = {
  /** Whether other stylesheets may apply too. */
  readonly hasImports: boolean;
  /** Whether no rule sets anything. */
  readonly isEmpty: boolean;
  /** Undefined for an element that no rule chooses. */
  styleOf(element: Element): ElementStyle | undefined;
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

/** The rules of these style elements for some elements, as far as `readBlock` finds something in their blocks. */
export function readStyleRules(
  sheets: readonly StyleSheet[],
  elements: readonly Element[],
  readBlock: ReadBlock,
): StyleRules {
  const rules = new Map<string, Rule[]>();
  let hasImports = false;
  let comparisons = 0;
  const context: RuleContext = { pageKeys: sheets.length === 0 ? new Set() : listPageKeys(elements), readBlock };
  for (const { css, media } of sheets) {
    const text = simplify(css);
    hasImports ||= /@import/i.test(text);
    for (const rule of readRules(text, isScreen(media), context)) {
      const key = lastKeyOf(rule.keys);
      const sameKey = rules.get(key);
      if (sameKey === undefined) rules.set(key, [rule]);
      else sameKey.push(rule);
    }
  }

  function makeStyle(tag: string, className: string, id: string): ElementStyle | undefined {
    const keys = listKeys(tag, className, id);
    const matching: Rule[] = [];
    for (const key of keys)
      for (const rule of rules.get(key) ?? []) {
        if (++comparisons > MAX_COMPARISONS) return unknownStyle;
        if (rule.keys.every((each) => keys.has(each))) matching.push(rule);
      }
    if (matching.length === 0) return undefined;
    const found = new Map<string, Declared | undefined>();
    return {
      find(property, onlyImportant) {
        const question = onlyImportant ? `${property}!` : property;
        if (!found.has(question)) found.set(question, findDeclared(matching, property, onlyImportant));
        return found.get(question);
      },
    };
  }

  /** Most elements share their tag, classes and id with others. */
  const stylesByTag = new Map<string, Map<string, ElementStyle | undefined>>();

  function styleOf({ tag, attributes: { class: className = "", id = "" } }: Element): ElementStyle | undefined {
    const styles = stylesByTag.get(tag) ?? new Map<string, ElementStyle | undefined>();
    stylesByTag.set(tag, styles);
    const names = id === "" ? className : `${className}\n${id}`;
    if (!styles.has(names)) styles.set(names, makeStyle(tag, className, id));
    return styles.get(names);
  }
  return { hasImports, isEmpty: rules.size === 0, styleOf };
}

const unknownValue: Declared = { value: null };
const unknownStyle: ElementStyle = { find: () => unknownValue };

function findDeclared(rules: readonly Rule[], property: string, onlyImportant: boolean): Declared | undefined {
  let best: { readonly value: string; readonly weight: number } | undefined;
  for (const { declarations, isCertain, weight: ruleWeight } of rules) {
    const declared = declarations.get(property);
    if (declared === undefined || (onlyImportant && !declared.isImportant)) continue;
    if (!isCertain) return unknownValue;
    const weight = ruleWeight + (declared.isImportant ? IMPORTANT_WEIGHT : 0);
    if (best === undefined || weight >= best.weight) best = { value: declared.value, weight };
  }
  return best;
}

/** The keys of all elements, and of those that may not be written. */
function listPageKeys(elements: readonly Element[]): ReadonlySet<string> {
  const keys = new Set(["*", "body"]);
  const classNames = new Set<string>();
  for (const { tag, attributes } of elements) {
    keys.add(tag);
    if (attributes.id !== undefined) keys.add(`#${attributes.id}`);
    if (attributes.class !== undefined) classNames.add(attributes.class);
  }
  for (const className of classNames) for (const name of className.match(/\S+/g) ?? []) keys.add(`.${name}`);
  return keys;
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

/** The keys of the page's elements: other rules, which most are, need not be read. */
type RuleContext = { readonly pageKeys: ReadonlySet<string>; readonly readBlock: ReadBlock };

/** A rule inside another one or under a condition is uncertain. */
function readRules(css: string, isPlain: boolean, context: RuleContext): readonly Rule[] {
  const rules: Rule[] = [];
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
  while (marks.test(css)) {
    const mark = css[marks.lastIndex - 1];
    const prelude = css.slice(start, marks.lastIndex - 1).trim();
    start = marks.lastIndex;
    if (mark === "}") {
      if (contexts.pop() === false) uncertainCount -= 1;
    } else if (mark === "{" && prelude.startsWith("@")) {
      const [, name = "", condition = ""] = /^@(\S+)([\s\S]*)$/.exec(prelude) ?? [];
      if (groupNames.test(name)) open(/^layer$/i.test(name) || (/^media$/i.test(name) && isScreen(condition)));
      else start = findBlockEnd(css, start);
    } else if (mark === "{") {
      const end = findBrace(css, start);
      const selectors = listSelectors(prelude, context.pageKeys);
      const declarations = selectors.length === 0 ? noDeclarations : context.readBlock(css.slice(start, end));
      const isCertain = isPlain && uncertainCount === 0;
      if (declarations.size > 0)
        for (const selector of selectors) rules.push(makeRule(selector, declarations, isCertain, order));
      order += 1;
      // Rules may follow inside of this one.
      if (css[end] === "{") open(false);
      else start = end + 1;
    }
    marks.lastIndex = start;
  }
  return rules;
}

/** The index of the next brace, or the end. */
function findBrace(css: string, start: number): number {
  braces.lastIndex = start;
  return braces.test(css) ? braces.lastIndex - 1 : css.length;
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

const noDeclarations: Declarations = new Map();

/** A selector, and what it says about the element itself. */
type Selector = { readonly text: string; readonly keys: readonly string[] };

/** The selectors that may choose an element of the page. */
function listSelectors(prelude: string, pageKeys: ReadonlySet<string>): readonly Selector[] {
  const selectors: Selector[] = [];
  for (const text of prelude.split(",")) {
    // What an element looks like while it is pointed at, and what is put before or after it, is not its own look.
    if (text.includes(":") && otherLook.test(text)) continue;
    const keys = readKeys(lastCompoundOf(text.trim()));
    if (pageKeys.has(lastKeyOf(keys))) selectors.push({ text, keys });
  }
  return selectors;
}
const otherLook = /::|:(?:before|after|hover|focus|active|visited|target|selection|placeholder)\b/i;

/** The part of a selector that is about the element itself. */
function lastCompoundOf(selector: string): string {
  let start = selector.length;
  while (start > 0 && !isCombinator(selector.charCodeAt(start - 1))) start -= 1;
  return selector.slice(start);
}

/** A blank, or `>`, `+`, `~`. */
function isCombinator(code: number): boolean {
  return code <= 0x20 || code === 0x3e || code === 0x2b || code === 0x7e;
}

/** The most telling of the keys of a selector. */
function lastKeyOf(keys: readonly string[]): string {
  return keys.at(-1) ?? "*";
}

function makeRule({ text, keys }: Selector, declarations: Declarations, isCertain: boolean, order: number): Rule {
  const weight = keys.reduce((sum, key) => sum + weightOf(key), order);
  return { keys, isCertain: isCertain && isSimple(text), weight, declarations };
}

/** `p.note#top` as keys, the most telling one last. */
function readKeys(compound: string): readonly string[] {
  if (/^[.#][\w-]+$/.test(compound)) return [compound];
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
