/** Looks at a text unit by unit (UTF-16): words, blanks, brackets. Every line is looked at, and patterns would take longer. */

/** The units that forms of definitions have. */
export const openParenthesis = 40;
export const closeParenthesis = 41;
export const asterisk = 42;
export const ampersand = 38;
export const comma = 44;
export const colon = 58;
export const semicolon = 59;
export const lessThan = 60;
export const equals = 61;
const dot = 46;
export const openBrace = 123;
const underscore = 95;
export const dollar = 36;
const hash = 35;
export const quote = 34;
export const minus = 45;

/** Whether a name may contain this unit: letters, digits, `_`, `$`, and everything that is not ASCII. */
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

/** Whether this unit may precede the name of a function: types, pointers, generics, qualifiers. */
export function isDeclaratorUnit(unit: number): boolean {
  return isWordUnit(unit) || " \t*&:<>[],.?~@".includes(String.fromCharCode(unit));
}

/** Whether this unit is an ASCII digit. */
export const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

/** The end of the word that begins at `start`; `start` if none does. `#` may precede a private name. */
export function endOfWord(text: string, start: number, end: number): number {
  let index = start;
  if (text.charCodeAt(index) === hash) index++;
  while (index < end && isWordUnit(text.charCodeAt(index))) index++;
  return index;
}

/** The start of the word that ends at `end`; `end` if none does. */
export function startOfWord(text: string, end: number, start: number): number {
  let index = end;
  while (index > start && isWordUnit(text.charCodeAt(index - 1))) index--;
  return index;
}

/** Past `Outer.Inner::name`. */
export function endOfQualified(text: string, start: number, end: number): number {
  let index = endOfWord(text, start, end);
  while (index < end && isQualifier(text.charCodeAt(index)) && isWordUnit(text.charCodeAt(skipColons(text, index)))) {
    index = endOfWord(text, skipColons(text, index), end);
  }
  return index;
}

const isQualifier = (unit: number): boolean => unit === dot || unit === colon;

function skipColons(text: string, index: number): number {
  return text.charCodeAt(index) === colon && text.charCodeAt(index + 1) === colon ? index + 2 : index + 1;
}

/** Past `(r *Receiver)` and `<T>` before a name. */
export function skipReceiver(text: string, start: number, end: number): number {
  const unit = text.charCodeAt(start);
  if (unit === openParenthesis) return skipBlanks(text, skipParentheses(text, start, end), end);
  return skipGenerics(text, start, end);
}

/** Past `<T>`, if it is there. */
export function skipGenerics(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) !== lessThan) return start;
  const close = text.indexOf(">", start);
  return close === -1 || close >= end ? start : skipBlanks(text, close + 1, end);
}

/** Past the first closing parenthesis, if an open one is there. */
export function skipParentheses(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) !== openParenthesis) return start;
  for (let index = start; index < end; index++) if (text.charCodeAt(index) === closeParenthesis) return index + 1;
  return start;
}

/** Past blanks and line ends. */
export function skipBlanks(text: string, start: number, end: number): number {
  let index = start;
  while (index < end && isBlank(text.charCodeAt(index))) index++;
  return index;
}

/** Back over blanks and line ends. */
export function skipBlanksBack(text: string, end: number, start: number): number {
  let index = end;
  while (index > start && isBlank(text.charCodeAt(index - 1))) index--;
  return index;
}

/** Whether this unit is a blank, a tab or part of a line end. */
export function isBlank(unit: number): boolean {
  return unit === 32 || unit === 9 || unit === 13 || unit === 10;
}
