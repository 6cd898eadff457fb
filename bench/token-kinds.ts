/** What the tokens of a Markdown text are for: words, addresses, or marks. */
import tokenizer from "llama3-tokenizer-js";

/** Kinds of characters, in the order of the table. */
export const tokenKinds = [
  "words",
  "code",
  "link addresses, same site",
  "link addresses, other sites",
  "link brackets",
  "image descriptions",
  "image addresses",
  "emphasis",
  "table pipes",
  "table rules",
  "breaks in cells",
  "list marks",
  "heading marks",
  "quotation marks",
  "rules",
  "backslashes",
  "line breaks",
] as const;
export type TokenKind = (typeof tokenKinds)[number];
export type TokenCounts = Readonly<Record<TokenKind, number>>;

/** The tokens of Llama 3 in a text, by kind. A token of several kinds counts in parts, by bytes. */
export function countTokenKinds(markdown: string): TokenCounts {
  const kinds = kindsOfBytes(markdown);
  const counts = Object.fromEntries(tokenKinds.map((kind) => [kind, 0])) as Record<TokenKind, number>;
  let at = 0;
  for (const id of tokenizer.encode(markdown, { bos: false, eos: false })) {
    // The vocabulary has one character for each byte.
    const bytes = [...(tokenizer.vocabById[id] ?? "")].length;
    for (const kind of kinds.subarray(at, at + bytes)) counts[tokenKinds[kind] ?? "words"] += 1 / bytes;
    at += bytes;
  }
  return counts;
}

export function countTokens(text: string): number {
  return tokenizer.encode(text, { bos: false, eos: false }).length;
}

/** The kind of every byte of the text in UTF-8, as an index of the list. */
function kindsOfBytes(markdown: string): Uint8Array {
  const kinds = kindsOfCharacters(markdown);
  const bytes = new Uint8Array(Buffer.byteLength(markdown));
  let [at, index] = [0, 0];
  for (const character of markdown) {
    const length = Buffer.byteLength(character);
    bytes.fill(kinds[index] ?? 0, at, at + length);
    at += length;
    index += character.length;
  }
  return bytes;
}

/** Later patterns win, within the text that none of them claimed. */
function kindsOfCharacters(markdown: string): Uint8Array {
  const kinds = new Uint8Array(markdown.length);
  const claim = (kind: TokenKind, start: number, text: string) => {
    const value = tokenKinds.indexOf(kind);
    for (let index = start; index < start + text.length; index += 1) if (kinds[index] === 0) kinds[index] = value;
  };
  for (const { pattern, groups } of patterns) {
    for (const match of markdown.matchAll(pattern)) {
      let at = match.index;
      for (const [number, text = ""] of match.slice(1).entries()) {
        const kind = groups[number];
        if (kind !== undefined && kinds[at] === 0) claim(typeof kind === "string" ? kind : kind(text), at, text);
        at += text.length;
      }
    }
  }
  return kinds;
}

/** The groups of a pattern follow each other without a gap; undefined for text of another kind. */
type Group = TokenKind | ((text: string) => TokenKind) | undefined;
const patterns: readonly { readonly pattern: RegExp; readonly groups: readonly Group[] }[] = [
  { pattern: /(^[ >]*(?:[-*] |\d+\. )*(`{3,}|~{3,})[^\n]*\n[\s\S]*?\n[ >]*\2)/gm, groups: ["code"] },
  { pattern: /(`[^`\n]+`)/g, groups: ["code"] },
  {
    pattern: /(!\[)([^\]\n]*)(\]\()([^()\s]*)(\))/g,
    groups: ["image descriptions", "image descriptions", "image addresses", "image addresses", "image addresses"],
  },
  { pattern: /(\]\()([^()\s]*)(\))/g, groups: ["link brackets", kindOfAddress, "link brackets"] },
  { pattern: /(\[)(?=(?:[^[\]\n]|\[[^\]\n]*\])*\]\()/g, groups: ["link brackets"] },
  { pattern: /(^[ >]*\|(?: ?:?-+:? ?\|)+$)/gm, groups: ["table rules"] },
  { pattern: /(<br>)/g, groups: ["breaks in cells"] },
  { pattern: /(\\)(?=[!-/:-@[-`{-~])/g, groups: ["backslashes"] },
  { pattern: /(?<=^[ >]*)(---)$/gm, groups: ["rules"] },
  { pattern: /(?<=^[ >]*)(#{1,6} )/gm, groups: ["heading marks"] },
  { pattern: /(^ *(?:> ?)+)/gm, groups: ["quotation marks"] },
  { pattern: /(?<=^[ >]*)( *(?:[-*]|\d+\.) )/gm, groups: ["list marks"] },
  { pattern: /(^ +)/gm, groups: ["list marks"] },
  { pattern: /(\*+|~~)/g, groups: ["emphasis"] },
  { pattern: /( ?\| ?)/g, groups: ["table pipes"] },
  { pattern: /(\n+)/g, groups: ["line breaks"] },
];

function kindOfAddress(address: string): TokenKind {
  return /^[a-z][a-z\d+.-]*:/i.test(address) ? "link addresses, other sites" : "link addresses, same site";
}
