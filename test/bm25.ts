/** BM25 over tool definitions, as clients that search for tools rank them. */

/** A definition as it is searched. */
export type SearchedTool = { readonly name: string; readonly text: string };

const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

/** The names of the best matches, best first; tools without any word of the ask are left out. */
export function searchTools(ask: string, tools: readonly SearchedTool[], count: number): string[] {
  const documents = tools.map(({ name, text }) => ({ name, words: toWords(`${name} ${text}`) }));
  const averageLength = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length;
  const rarity = (word: string): number => {
    const matching = documents.filter(({ words }) => words.includes(word)).length;
    return Math.log(1 + (documents.length - matching + 0.5) / (matching + 0.5));
  };
  const scoreOf = (words: readonly string[]): number =>
    [...new Set(toWords(ask))].reduce((score, word) => {
      const times = words.filter((each) => each === word).length;
      const length = 1 - LENGTH_SHARE + (LENGTH_SHARE * words.length) / averageLength;
      return score + (rarity(word) * times * (SATURATION + 1)) / (times + SATURATION * length);
    }, 0);
  return documents
    .map(({ name, words }) => ({ name, score: scoreOf(words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, count)
    .map(({ name }) => name);
}

/** Lower case, split at everything that is not a letter or digit, and inside camelCase. */
function toWords(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
