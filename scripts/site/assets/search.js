/** Searches the sections of all pages. The index is a script beside this one, so it works from a folder too. */
const MAX_RESULTS = 12;
const SNIPPET_CHARS = 160;

const input = element("query", HTMLInputElement);
const results = element("results", HTMLElement);

// The list of pages is open where there is room for it.
if (matchMedia("(max-width: 800px)").matches) document.querySelector("nav details")?.removeAttribute("open");

/** @typedef {readonly [file: string, title: string, id: string, heading: string, text: string]} Section */

// The script before this one has set it.
const { searchIndex } = /** @type {{ readonly searchIndex: readonly Section[] }} */ (
  /** @type {unknown} */ (globalThis)
);

const entries = searchIndex.map(([file, title, id, heading, text]) => ({
  file,
  title,
  id,
  heading,
  text,
  words: `${title} ${heading} ${text}`.toLowerCase(),
  names: `${title} ${heading}`.toLowerCase(),
}));

/** @typedef {(typeof entries)[number]} Entry */

/**
 * Sections with every word, those with words in a heading or title first.
 * @param {string} query
 */
function find(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const scored = entries
    .filter((entry) => words.every((word) => entry.words.includes(word)))
    .map((entry) => ({ entry, score: words.reduce((sum, word) => sum + scoreWord(entry, word), 0) }));
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry);
}

/**
 * @param {Entry} entry
 * @param {string} word
 */
function scoreWord({ names, words }, word) {
  const count = words.split(word).length - 1;
  return (names.includes(word) ? 10 : 0) + Math.min(count, 5) / (1 + words.length / 4_000);
}

/** @param {string} query */
function show(query) {
  const found = find(query);
  results.hidden = query.trim() === "";
  results.replaceChildren(...(found.length === 0 ? [makeNote("Nothing found.")] : [makeList(found, query)]));
}

/**
 * @param {readonly Entry[]} found
 * @param {string} query
 */
function makeList(found, query) {
  const list = document.createElement("ul");
  for (const { file, id, title, heading, text } of found) {
    const link = document.createElement("a");
    link.href = `${file}#${id}`;
    link.textContent = title === heading ? title : `${title}: ${heading}`;
    const item = document.createElement("li");
    item.append(link, makeNote(cutAround(text, query)));
    list.append(item);
  }
  return list;
}

/** @param {string} text */
function makeNote(text) {
  const note = document.createElement("p");
  note.textContent = text;
  return note;
}

/**
 * The text around the first word of the query.
 * @param {string} text
 * @param {string} query
 */
function cutAround(text, query) {
  const [word = ""] = query.toLowerCase().split(/\s+/).filter(Boolean);
  const at = Math.max(0, text.toLowerCase().indexOf(word) - SNIPPET_CHARS / 3);
  const part = text.slice(at, at + SNIPPET_CHARS);
  return `${at > 0 ? "…" : ""}${part}${at + SNIPPET_CHARS < text.length ? "…" : ""}`;
}

input.addEventListener("input", () => show(input.value));
element("search", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    input.value = "";
    show("");
  }
  const isTyping = /^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    input.focus();
  }
});
results.addEventListener("click", (event) => {
  if (event.target instanceof HTMLAnchorElement) show("");
});

/**
 * @template {HTMLElement} E
 * @param {string} id
 * @param {new () => E} type
 * @returns {E}
 */
function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${id}.`);
  return found;
}
