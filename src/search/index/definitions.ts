/** Finds the name that a line of code defines, by the form of the line alone: one set of rules for every language. */
import { isReserved, roles } from "./definition-keywords.ts";
import {
  ampersand,
  asterisk,
  closeParenthesis,
  colon,
  comma,
  dollar,
  endOfQualified,
  endOfWord,
  equals,
  isBlank,
  isDeclaratorUnit,
  isDigit,
  isWordUnit,
  lessThan,
  minus,
  openBrace,
  openParenthesis,
  quote,
  semicolon,
  skipBlanks,
  skipBlanksBack,
  skipGenerics,
  skipParentheses,
  skipReceiver,
  startOfWord,
} from "./text-units.ts";

/** A type or a module says more about a file than a function, and a function more than a value. */
export const definitionRanks = { value: 1, function: 2, type: 3 } as const;
type DefinitionRank = (typeof definitionRanks)[keyof typeof definitionRanks];

/** Where a defined name is in a text, without its qualifiers. */
export type Definition = { readonly start: number; readonly end: number; readonly rank: DefinitionRank };

/** The name that the line [start, end) of the text defines, or null. `indent` is the line's indentation. */
export function findDefinition(text: string, start: number, end: number, indent: number): Definition | null {
  let index = skipBlanks(text, start, end);
  const first = text.charCodeAt(index);
  if (first === openParenthesis) return findLispName(text, index, end);
  const isQuoted = first === quote;
  if (isQuoted && !isNotebookLine(text, index, end)) return null;
  if (isQuoted) index = skipBlanks(text, index + 1, end);
  let isModified = false;
  for (let words = 0; words < MAX_KEYWORDS; words++) {
    const stop = endOfWord(text, index, end);
    if (stop === index) return null;
    const role = roles.get(text.slice(index, stop));
    if (role === "control") return null;
    const after = skipBlanks(text, stop, end);
    const findByForm = () => (isQuoted ? null : findUnmarked(text, index, end, indent, isModified));
    if (role === "statement") return findSqlName(text, stop, end) ?? findByForm();
    if (role === undefined) return findByForm();
    if (role !== "modifier") {
      const definition = findAfterKeyword(text, stop, after, end, role, indent === 0 || isModified);
      return definition === undefined ? findByForm() : definition;
    }
    isModified = true;
    index = skipGenerics(text, skipBlanks(text, skipParentheses(text, stop, end), end), end);
  }
  return null;
}

/** A line of code in a notebook is a JSON string that ends with an escaped newline. */
function isNotebookLine(text: string, start: number, end: number): boolean {
  return /\\n",?\s*$/.test(text.slice(Math.max(start, end - 8), end));
}

/** Words before the name, such as `public static async`. */
const MAX_KEYWORDS = 8;

/** The name that a keyword introduces; null for a name not worth indexing, undefined if the word is not a keyword here. */
function findAfterKeyword(
  text: string,
  stop: number,
  after: number,
  end: number,
  role: "type" | "strict" | "braced" | "function" | "value" | "let",
  isOuter: boolean,
): Definition | null | undefined {
  if (after === stop) return undefined;
  const nameStart = skipReceiver(text, after, end);
  const nameEnd = endOfQualified(text, nameStart, end);
  if (nameEnd === nameStart) return undefined;
  if (role === "let" && isOuter)
    return findLetName(text, nameStart, end) ?? findValueName(text, nameStart, nameEnd, end, isOuter);
  if (role === "value" || role === "let") return findValueName(text, nameStart, nameEnd, end, isOuter);
  if (role === "type" && isImplementation(text, after, end)) return null;
  if (role === "strict") return findTypeName(text, nameStart, nameEnd, end);
  if (role === "braced") return findBlockName(text, nameStart, nameEnd, end);
  return makeDefinition(text, nameStart, nameEnd, definitionRanks[role]);
}

/** `impl Trait for Type` says that a type has a trait; it defines neither. */
function isImplementation(text: string, start: number, end: number): boolean {
  const rest = text.slice(start, Math.min(end, start + MAX_PATTERN_CHARS));
  return /^[^{;=]*\sfor\s/.test(rest);
}

/** A name with the beginning of a block right after it. */
function findBlockName(text: string, nameStart: number, nameEnd: number, end: number): Definition | undefined {
  const isBlock =
    text.charCodeAt(skipBlanks(text, nameEnd, end)) === openBrace && !isReserved(text.slice(nameStart, nameEnd));
  return isBlock ? makeDefinition(text, nameStart, nameEnd, definitionRanks.type) : undefined;
}

/** `struct name *variable` declares a variable, "class will be" is a sentence: neither defines a type. */
function findTypeName(text: string, nameStart: number, nameEnd: number, end: number): Definition | null | undefined {
  const next = skipBlanks(text, nameEnd, end);
  const unit = text.charCodeAt(next);
  if (unit === asterisk || unit === ampersand || unit === closeParenthesis || unit === comma) return undefined;
  if (unit === semicolon) return findForwardName(text, nameStart, nameEnd);
  if (unit === lessThan && isAfterTemplate(text, nameStart)) return null;
  if (!isWordUnit(unit) || next >= end) return makeDefinition(text, nameStart, nameEnd, definitionRanks.type);
  const hasClause = /^(?:extends|implements|with|where|for|permits|final|derives|is|of|sealed)\b/.test(
    text.slice(next, next + 12),
  );
  return hasClause || /(?:[{:]|\bwhere)\s*$/.test(text.slice(next, end))
    ? makeDefinition(text, nameStart, nameEnd, definitionRanks.type)
    : undefined;
}

/** `class Name;` announces what another file defines. In Rust, `struct Name;` is a definition. */
function findForwardName(text: string, nameStart: number, nameEnd: number): Definition | null {
  const isStruct = /\bstruct\s+$/.test(text.slice(Math.max(0, nameStart - 12), nameStart));
  return isStruct ? makeDefinition(text, nameStart, nameEnd, definitionRanks.value) : null;
}

/** Whether `template` is on this line or on the one before: `Name<int>` is then a special case of a type. */
function isAfterTemplate(text: string, nameStart: number): boolean {
  const lineStart = text.lastIndexOf("\n", nameStart) + 1;
  const previousStart = text.lastIndexOf("\n", lineStart - 2) + 1;
  return (
    /^\s*template\b/.test(text.slice(previousStart, nameStart).slice(0, MAX_PATTERN_CHARS)) ||
    /^\s*template\b/.test(text.slice(lineStart, nameStart))
  );
}

/** `const name = ...`; but in `const char *name(...)` the word after the keyword is a type. */
function findValueName(
  text: string,
  nameStart: number,
  nameEnd: number,
  end: number,
  isOuter: boolean,
): Definition | null | undefined {
  const next = text.charCodeAt(skipBlanks(text, nameEnd, end));
  if (isWordUnit(next) || next === asterisk || next === ampersand || next === openParenthesis) return undefined;
  const rank = rankOfValue(text, nameEnd, end);
  return isOuter || rank > definitionRanks.value ? makeDefinition(text, nameStart, nameEnd, rank) : null;
}

/** Characters of a line that patterns are matched with. */
const MAX_PATTERN_CHARS = 300;

/** Matches a pattern whose first group is what precedes the name, and whose second is the name. */
function matchName(text: string, start: number, end: number, pattern: RegExp, rank: DefinitionRank): Definition | null {
  const [, before = "", name] = pattern.exec(text.slice(start, Math.min(end, start + MAX_PATTERN_CHARS))) ?? [];
  if (name === undefined) return null;
  const nameStart = start + before.length;
  return { start: nameStart, end: nameStart + name.length, rank };
}

const letPattern =
  /^((?:(?:rec|inline|private)[ \t]+)*)(?!(?:rec|inline|private)\b)([a-z_][\w']*)[ \t]+[\w'(~?][^=;"]*=(?!=)/;

/** `let rec name argument =`, as languages of the ML family define functions. */
function findLetName(text: string, start: number, end: number): Definition | null {
  return matchName(text, start, end, letPattern, definitionRanks.function);
}

const lispPattern =
  /^(\((?:def|defn-?|defun|defmacro|defmulti|defmethod|defgeneric|defprotocol|defrecord|deftype|defclass|defstruct|defvar|defparameter|defconst|defconstant|defcustom|defonce|deftest|define(?:-[\w-]+)?)[ \t]+(?:\^\S+[ \t]+)*\(?)([^\s()[\]{}"';^]+)/;

/** `(defn name ...`, `(define (name ...`. */
function findLispName(text: string, start: number, end: number): Definition | null {
  return matchName(text, start, end, lispPattern, definitionRanks.function);
}

const sqlPattern =
  /^([ \t]+(?:or[ \t]+(?:replace|alter)[ \t]+)?(?:(?:global|local|temp|temporary|unlogged|unique|materialized|recursive|virtual|external)[ \t]+)*(?:table|view|function|procedure|trigger|index|type|sequence|schema|domain|policy)[ \t]+(?:concurrently[ \t]+)?(?:if[ \t]+not[ \t]+exists[ \t]+)?(?:[\w"`[\]]+\.)*["`[]?)(\w+)/i;

/** `CREATE TABLE IF NOT EXISTS schema.name`. */
function findSqlName(text: string, start: number, end: number): Definition | null {
  return matchName(text, start, end, sqlPattern, definitionRanks.type);
}

/** A value that is a function or a type counts as one. */
function rankOfValue(text: string, nameEnd: number, end: number): DefinitionRank {
  const rest = text.slice(nameEnd, Math.min(end, nameEnd + 120));
  if (/=\s*(?:pub\s+)?(?:packed\s+|extern\s+)?(?:class|struct|enum|union|interface)\b/.test(rest))
    return definitionRanks.type;
  return /=>|[=:]\s*(?:async\s+)?(?:function|fn|func|lambda|proc|->)(?!\w)/.test(rest)
    ? definitionRanks.function
    : definitionRanks.value;
}

/** A line without a keyword: `int name(...) {`, `name(...) {`, `name = ...`, `name :: ...`. */
function findUnmarked(
  text: string,
  start: number,
  end: number,
  indent: number,
  isModified: boolean,
): Definition | null {
  let index = start;
  while (index < end && isDeclaratorUnit(text.charCodeAt(index))) index++;
  const unit = text.charCodeAt(index);
  if (unit === openParenthesis) return findCallable(text, start, index, end, indent === 0 || isModified);
  if (unit === equals && text.charCodeAt(index + 1) !== equals) return findAssigned(text, start, index, end, indent);
  if (unit === minus && text.charCodeAt(index - 1) === lessThan)
    return matchName(text, start, end, arrowPattern, definitionRanks.function);
  return indent === 0 ? findSignature(text, start, end) : null;
}

/** `name <- function(...)`, as in R. */
const arrowPattern = /^()([\w.]+)[ \t]*<-[ \t]*function\b/;

/**
 * A name before parentheses is a definition if a body follows, or if it is at the outer level after its type. A prototype, which
 * ends with a semicolon, only announces a function, and counts as a value: what defines it is worth more.
 */
function findCallable(
  text: string,
  start: number,
  parenthesis: number,
  end: number,
  isOuter: boolean,
): Definition | null {
  const nameEnd = skipBlanksBack(text, parenthesis, start);
  const nameStart = startOfWord(text, nameEnd, start);
  if (nameStart === nameEnd || isDigit(text.charCodeAt(nameStart)) || isReserved(text.slice(nameStart, nameEnd)))
    return null;
  const hasType = nameStart > start && isOuter;
  const close = endOfLineThatCloses(text, parenthesis, end);
  const lastUnit = text.charCodeAt(skipBlanksBack(text, close ?? end, start) - 1);
  if (lastUnit === semicolon) {
    const isPrototype = hasType && close !== null && isAfterType(text.charCodeAt(nameStart - 1));
    return isPrototype ? makeDefinition(text, nameStart, nameEnd, definitionRanks.value) : null;
  }
  const hasBody = close !== null && (lastUnit === openBrace || firstUnitAfter(text, close) === openBrace);
  return hasType || hasBody ? makeDefinition(text, nameStart, nameEnd, definitionRanks.function) : null;
}

/** Whether a type may end before a name with this unit; a dot or an arrow is before the name of a method that is called. */
const isAfterType = (unit: number): boolean => isBlank(unit) || unit === asterisk || unit === ampersand;

const firstUnitAfter = (text: string, index: number): number => text.charCodeAt(skipBlanks(text, index, text.length));

/** A longer list of parameters is not looked through. */
const MAX_PARAMETER_CHARS = 1_500;

/**
 * The end of the line in which the parenthesis at `start` is closed: this line, or a later one for a long list of parameters.
 * Null for a call with a block, `setup({`, whose parenthesis stays open.
 */
function endOfLineThatCloses(text: string, start: number, end: number): number | null {
  let depth = 0;
  for (let index = start; index < end; index++) depth += depthChange(text.charCodeAt(index));
  if (depth === 0) return end;
  // More are closed than opened: the line ends a call that began above it.
  if (depth < 0) return null;
  if (text.charCodeAt(skipBlanksBack(text, end, start) - 1) === openBrace) return null;
  const limit = Math.min(text.length, end + MAX_PARAMETER_CHARS);
  for (let index = end; index < limit; index++) {
    const unit = text.charCodeAt(index);
    if (unit === openBrace || unit === semicolon) return null;
    depth += depthChange(unit);
    if (depth === 0) return endOfLine(text, index);
  }
  return null;
}

function depthChange(unit: number): number {
  if (unit === openParenthesis) return 1;
  return unit === closeParenthesis ? -1 : 0;
}

function endOfLine(text: string, index: number): number {
  const newline = text.indexOf("\n", index);
  return newline === -1 ? text.length : newline + 1;
}

/** `name = ...`, `name: type = ...`. */
function findAssigned(text: string, start: number, sign: number, end: number, indent: number): Definition | null {
  const nameEnd = endOfQualified(text, start, sign);
  if (text.charCodeAt(start) === dollar) return null;
  const next = text.charCodeAt(skipBlanks(text, nameEnd, end));
  if (next !== equals && next !== colon) return null;
  const rank = rankOfValue(text, nameEnd, end);
  return indent === 0 || rank > definitionRanks.value ? makeDefinition(text, start, nameEnd, rank) : null;
}

/** `name :: Type`, as in Haskell, and `name : Type -> Type`, as in others. */
function findSignature(text: string, start: number, end: number): Definition | null {
  const nameEnd = endOfWord(text, start, end);
  const next = skipBlanks(text, nameEnd, end);
  const isSignature =
    text.startsWith(":: ", next) || (text.startsWith(": ", next) && text.slice(next, end).includes("->"));
  return next > nameEnd && isSignature ? makeDefinition(text, start, nameEnd, definitionRanks.function) : null;
}

function makeDefinition(text: string, nameStart: number, nameEnd: number, rank: DefinitionRank): Definition {
  return { start: startOfWord(text, nameEnd, nameStart), end: nameEnd, rank };
}
