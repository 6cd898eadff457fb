/** Translates `?` into the numbered placeholders of PostgreSQL. */

/** Strings, quoted names and comments, in which a question mark means itself, or a placeholder. */
const partForm = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g;

/** `a = ? AND b = '?'` becomes `a = $1 AND b = '?'`. */
export function numberPlaceholders(statement: string): string {
  let count = 0;
  return statement.replace(partForm, (part) => (part === "?" ? `$${++count}` : part));
}
