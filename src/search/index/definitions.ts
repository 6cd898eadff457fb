/** Finds the name that a line of code defines, by the shape of the line alone: one set of rules for every language. */

/** What is defined: a type or a module says more about a file than a function, a function more than a value. */
export const definitionRanks = { value: 1, function: 2, type: 3 } as const;
export type DefinitionRank = (typeof definitionRanks)[keyof typeof definitionRanks];

/** A name in a text, without its qualifiers. */
export type Definition = { readonly start: number; readonly end: number; readonly rank: DefinitionRank };

/** What the line [start, end) of the text defines, or null. `indent` is how far it is indented. */
export function definitionIn(text: string, start: number, end: number, indent: number): Definition | null {
  let at = skipBlanks(text, start, end);
  const first = text.charCodeAt(at);
  if (first === openParenthesis) return lispNamed(text, at, end);
  const quoted = first === quote;
  if (quoted && !isNotebookLine(text, at, end)) return null;
  if (quoted) at = skipBlanks(text, at + 1, end);
  let modified = false;
  for (let words = 0; words < mostWords; words++) {
    const stop = endOfWord(text, at, end);
    if (stop === at) return null;
    const role = roles.get(text.slice(at, stop));
    if (role === "control") return null;
    const after = skipBlanks(text, stop, end);
    const shaped = () => (quoted ? null : byShape(text, at, end, indent, modified));
    if (role === "statement") return sqlNamed(text, stop, end) ?? shaped();
    if (role === undefined) return shaped();
    if (role !== "modifier") {
      const found = named(text, stop, after, end, role, indent === 0 || modified);
      return found === undefined ? shaped() : found;
    }
    modified = true;
    at = skipGenerics(text, skipBlanks(text, skipParentheses(text, stop, end), end), end);
  }
  return null;
}

/** A line of code in a notebook is a string with the end of the line in it. */
function isNotebookLine(text: string, at: number, end: number): boolean {
  return /\\n",?\s*$/.test(text.slice(Math.max(at, end - 8), end));
}

/** `public static async` and more: no line needs that many words before the name. */
const mostWords = 8;

/**
 * `strict`: a type's keyword that also stands before variables and in sentences. `braced`: one that is a plain word unless
 * a block begins on its line. `let`: a value, or a function with its arguments. `statement`: the name comes after more keywords.
 */
type Role = "type" | "strict" | "braced" | "function" | "value" | "let" | "modifier" | "control" | "statement";

const roles: ReadonlyMap<string, Role> = new Map([
  ...entries("type", "defmodule defprotocol defimpl newtype data typealias typedef type instance impl"),
  ...entries(
    "strict",
    "class interface struct enum union trait protocol record object module namespace mixin extension actor",
  ),
  ...entries(
    "function",
    "def defp defmacro defmacrop defguard defdelegate defn fn func fun function sub proc macro define rpc",
  ),
  ...entries("braced", "message service contract library input fragment query mutation subscription"),
  ...entries("statement", "create CREATE Create"),
  ...entries("value", "const var val global"),
  ...entries("let", "let"),
  ...entries(
    "modifier",
    "export default declare public private protected internal static final abstract sealed open override virtual async " +
      "unsafe extern inline local readonly partial implicit lazy case suspend mutating indirect fileprivate constexpr " +
      "expect actual inner tailrec operator infix pub mut template noinline synchronized native new",
  ),
  ...entries(
    "control",
    "if else elif elsif unless for foreach while until do switch match when case_ return throw raise yield await assert " +
      "catch rescue ensure finally try with using import include require from package goto break continue delete and or " +
      "not in is end then del pass print puts echo use where",
  ),
]);

function entries(role: Role, words: string): [string, Role][] {
  return words.split(" ").map((word) => [word, role]);
}

/** After a keyword: the name it introduces; null for none worth keeping, undefined where it was no keyword after all. */
function named(
  text: string,
  stop: number,
  after: number,
  end: number,
  role: "type" | "strict" | "braced" | "function" | "value" | "let",
  outer: boolean,
): Definition | null | undefined {
  if (after === stop) return undefined;
  const from = skipReceiver(text, after, end);
  const last = endOfQualified(text, from, end);
  if (last === from) return undefined;
  if (role === "let" && outer) return letNamed(text, from, end) ?? valueNamed(text, from, last, end, outer);
  if (role === "value" || role === "let") return valueNamed(text, from, last, end, outer);
  if (role === "strict") return typeNamed(text, from, last, end);
  if (role === "braced") return blockNamed(text, from, last, end);
  return definition(text, from, last, definitionRanks[role]);
}

/** A block begins right after the name. */
function blockNamed(text: string, from: number, last: number, end: number): Definition | undefined {
  const begins = text.charCodeAt(skipBlanks(text, last, end)) === openBrace && !isReserved(text.slice(from, last));
  return begins ? definition(text, from, last, definitionRanks.type) : undefined;
}

/** `struct name *variable` declares a variable, "class will be" is a sentence: neither defines a type. */
function typeNamed(text: string, from: number, last: number, end: number): Definition | null | undefined {
  const next = skipBlanks(text, last, end);
  const unit = text.charCodeAt(next);
  if (unit === asterisk || unit === ampersand || unit === closeParenthesis || unit === comma) return undefined;
  if (!isWordUnit(unit) || next >= end) return definition(text, from, last, definitionRanks.type);
  const goesOn = /^(?:extends|implements|with|where|for|permits|final|derives|is|of|sealed)\b/.test(
    text.slice(next, next + 12),
  );
  return goesOn || /(?:[{:]|\bwhere)\s*$/.test(text.slice(next, end))
    ? definition(text, from, last, definitionRanks.type)
    : undefined;
}

/** `const name = ...`; but in `const char *name(...)` the word after the keyword is a type. */
function valueNamed(
  text: string,
  from: number,
  last: number,
  end: number,
  outer: boolean,
): Definition | null | undefined {
  const next = text.charCodeAt(skipBlanks(text, last, end));
  if (isWordUnit(next) || next === asterisk || next === ampersand || next === openParenthesis) return undefined;
  const rank = rankOfValue(text, last, end);
  return outer || rank > definitionRanks.value ? definition(text, from, last, rank) : null;
}

/** No line says later than here what it defines. */
const longestShape = 300;

/** What a pattern finds at this place: its first group stands before the name, its second is the name. */
function matched(text: string, at: number, end: number, pattern: RegExp, rank: DefinitionRank): Definition | null {
  const [, before = "", name] = pattern.exec(text.slice(at, Math.min(end, at + longestShape))) ?? [];
  if (name === undefined) return null;
  const start = at + before.length;
  return { start, end: start + name.length, rank };
}

const letShape =
  /^((?:(?:rec|inline|private)[ \t]+)*)(?!(?:rec|inline|private)\b)([a-z_][\w']*)[ \t]+[\w'(~?][^=;"]*=(?!=)/;

/** `let rec name argument =`, as the kin of ML define functions. */
function letNamed(text: string, from: number, end: number): Definition | null {
  return matched(text, from, end, letShape, definitionRanks.function);
}

const lispShape =
  /^(\((?:def|defn-?|defun|defmacro|defmulti|defmethod|defgeneric|defprotocol|defrecord|deftype|defclass|defstruct|defvar|defparameter|defconst|defconstant|defcustom|defonce|deftest|define(?:-[\w-]+)?)[ \t]+(?:\^\S+[ \t]+)*\(?)([^\s()[\]{}"';^]+)/;

/** `(defn name ...`, `(define (name ...`. */
function lispNamed(text: string, at: number, end: number): Definition | null {
  return matched(text, at, end, lispShape, definitionRanks.function);
}

const sqlShape =
  /^([ \t]+(?:or[ \t]+(?:replace|alter)[ \t]+)?(?:(?:global|local|temp|temporary|unlogged|unique|materialized|recursive|virtual|external)[ \t]+)*(?:table|view|function|procedure|trigger|index|type|sequence|schema|domain|policy)[ \t]+(?:concurrently[ \t]+)?(?:if[ \t]+not[ \t]+exists[ \t]+)?(?:[\w"`[\]]+\.)*["`[]?)(\w+)/i;

/** `CREATE TABLE IF NOT EXISTS schema.name`. */
function sqlNamed(text: string, at: number, end: number): Definition | null {
  return matched(text, at, end, sqlShape, definitionRanks.type);
}

/** A value that is a function or a type is defined as one. */
function rankOfValue(text: string, last: number, end: number): DefinitionRank {
  const rest = text.slice(last, Math.min(end, last + 120));
  if (/=\s*(?:pub\s+)?(?:packed\s+|extern\s+)?(?:class|struct|enum|union|interface)\b/.test(rest))
    return definitionRanks.type;
  return /=>|[=:]\s*(?:async\s+)?(?:function|fn|func|lambda|proc|->)(?!\w)/.test(rest)
    ? definitionRanks.function
    : definitionRanks.value;
}

/** A line without a keyword: `int name(...) {`, `name(...) {`, `name = ...`, `name :: ...`. */
function byShape(text: string, start: number, end: number, indent: number, modified: boolean): Definition | null {
  let at = start;
  while (at < end && isDeclaratorUnit(text.charCodeAt(at))) at++;
  const unit = text.charCodeAt(at);
  if (unit === openParenthesis) return callable(text, start, at, end, indent === 0 || modified);
  if (unit === equals && text.charCodeAt(at + 1) !== equals) return assigned(text, start, at, end, indent);
  if (unit === minus && text.charCodeAt(at - 1) === lessThan)
    return matched(text, start, end, arrowShape, definitionRanks.function);
  return indent === 0 ? signature(text, start, end) : null;
}

/** `name <- function(...)`, as R defines. */
const arrowShape = /^()([\w.]+)[ \t]*<-[ \t]*function\b/;

/** A name before parentheses is defined where a body follows, or where it stands outside with its type before it. */
function callable(text: string, start: number, parenthesis: number, end: number, outer: boolean): Definition | null {
  const last = skipBlanksBack(text, parenthesis, start);
  const from = startOfWord(text, last, start);
  if (from === last || isDigit(text.charCodeAt(from)) || isReserved(text.slice(from, last))) return null;
  const final = text.charCodeAt(skipBlanksBack(text, end, start) - 1);
  if (final === semicolon) return null;
  const typed = from > start && outer;
  const bodied = final === openBrace || text.charCodeAt(skipBlanks(text, end, text.length)) === openBrace;
  if (!typed && !(bodied && isBalanced(text, parenthesis, end))) return null;
  return definition(text, from, last, definitionRanks.function);
}

/** Words of some languages are names in others. */
function isReserved(word: string): boolean {
  const role = roles.get(word);
  return role !== undefined && role !== "braced" && role !== "statement";
}

/** A call that is given a block, `setup({`, leaves its parenthesis open. */
function isBalanced(text: string, start: number, end: number): boolean {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === openParenthesis) depth++;
    else if (unit === closeParenthesis) depth--;
  }
  return depth === 0;
}

function assigned(text: string, start: number, sign: number, end: number, indent: number): Definition | null {
  const last = endOfQualified(text, start, sign);
  if (text.charCodeAt(start) === dollar) return null;
  const next = text.charCodeAt(skipBlanks(text, last, end));
  if (next !== equals && next !== colon) return null;
  const rank = rankOfValue(text, last, end);
  return indent === 0 || rank > definitionRanks.value ? definition(text, start, last, rank) : null;
}

/** `name :: Type`, as Haskell declares, and `name : Type -> Type`, as others do. */
function signature(text: string, start: number, end: number): Definition | null {
  const last = endOfWord(text, start, end);
  const at = skipBlanks(text, last, end);
  const declares = text.startsWith(":: ", at) || (text.startsWith(": ", at) && text.slice(at, end).includes("->"));
  return at > last && declares ? definition(text, start, last, definitionRanks.function) : null;
}

function definition(text: string, from: number, last: number, rank: DefinitionRank): Definition {
  return { start: startOfWord(text, last, from), end: last, rank };
}

const [openParenthesis, closeParenthesis, asterisk, ampersand, comma, colon, semicolon, lessThan, equals] = [
  40, 41, 42, 38, 44, 58, 59, 60, 61,
];
const [dot, openBrace, underscore, dollar, hash, quote, minus] = [46, 123, 95, 36, 35, 34, 45];

/** What may stand in a name: letters, digits, `_`, `$`, and whatever is not ASCII. */
export function isWordUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 57) ||
    unit === underscore ||
    unit === dollar ||
    unit > 127
  );
}

/** What may stand before the name of a function: types, pointers, generics, qualifiers. */
function isDeclaratorUnit(unit: number): boolean {
  return isWordUnit(unit) || " \t*&:<>[],.?~@".includes(String.fromCharCode(unit));
}

const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

function endOfWord(text: string, start: number, end: number): number {
  let at = start;
  if (text.charCodeAt(at) === hash) at++;
  while (at < end && isWordUnit(text.charCodeAt(at))) at++;
  return at;
}

function startOfWord(text: string, end: number, start: number): number {
  let at = end;
  while (at > start && isWordUnit(text.charCodeAt(at - 1))) at--;
  return at;
}

/** Past `Outer.Inner::name`. */
function endOfQualified(text: string, start: number, end: number): number {
  let at = endOfWord(text, start, end);
  while (at < end && isQualifier(text.charCodeAt(at)) && isWordUnit(text.charCodeAt(skipColons(text, at)))) {
    at = endOfWord(text, skipColons(text, at), end);
  }
  return at;
}

const isQualifier = (unit: number): boolean => unit === dot || unit === colon;

function skipColons(text: string, at: number): number {
  return text.charCodeAt(at) === colon && text.charCodeAt(at + 1) === colon ? at + 2 : at + 1;
}

/** Past `(r *Receiver)` and `<T>` before a name. */
function skipReceiver(text: string, start: number, end: number): number {
  const unit = text.charCodeAt(start);
  if (unit === openParenthesis) return skipBlanks(text, skipParentheses(text, start, end), end);
  return skipGenerics(text, start, end);
}

function skipGenerics(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) !== lessThan) return start;
  const close = text.indexOf(">", start);
  return close === -1 || close >= end ? start : skipBlanks(text, close + 1, end);
}

function skipParentheses(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) !== openParenthesis) return start;
  for (let at = start; at < end; at++) if (text.charCodeAt(at) === closeParenthesis) return at + 1;
  return start;
}

function skipBlanks(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function skipBlanksBack(text: string, end: number, start: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

function isBlank(unit: number): boolean {
  return unit === 32 || unit === 9 || unit === 13 || unit === 10;
}
