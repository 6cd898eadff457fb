/** The words that introduce a name in some language, and those that cannot be before one. */

/**
 * What a word at the beginning of a line means. `strict`: a keyword of types that also occurs before variables and in
 * prose. `braced`: a keyword of types that is a plain word unless a block begins on its line. `let`: a value, or a
 * function with its arguments. `statement`: more keywords come before the name.
 */
type Role = "type" | "strict" | "braced" | "function" | "value" | "let" | "modifier" | "control" | "statement";

/** The words that mean something at the beginning of a line. */
export const roles: ReadonlyMap<string, Role> = new Map([
  ...entries("type", "defmodule defprotocol newtype data typealias typedef type impl"),
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
      "not in is end then del pass print puts echo use where instance defimpl",
  ),
]);

/** Whether a word is a keyword in all languages: some keywords are names in other languages. */
export function isReserved(word: string): boolean {
  const role = roles.get(word);
  return role !== undefined && role !== "braced" && role !== "statement";
}

function entries(role: Role, words: string): [string, Role][] {
  return words.split(" ").map((word) => [word, role]);
}
