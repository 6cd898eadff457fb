/** Finds the language of a code block in the attributes and class names where pages state it. */
import { wordSet } from "../tree/tags.ts";
import type { Element } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";

/** Limits the search inside a block; its code element is near the top. */
const MAX_SEARCHED_ELEMENTS = 50;

/** The language that a code block, its code element or a wrapper near it names, or "". */
export function findCodeLanguage(block: Element): string {
  const namedCode = findNamedCode(block);
  for (const element of namedCode === undefined ? [block] : [namedCode, block]) {
    const language = languageNamedBy(element, isNotGenerated);
    if (language !== "") return language;
  }
  const label = findLanguageLabel(block);
  if (label !== "") return label;
  const { maxLanguageWrappers, maxBareNameWrappers } = htmlWeights.code;
  let wrapper = block.parent;
  for (let level = 0; level < maxLanguageWrappers && wrapper !== null && wrapper.tag !== "body"; level += 1) {
    const language = languageNamedBy(wrapper, level < maxBareNameWrappers ? isBesideCodeName : undefined);
    if (language !== "") return language;
    wrapper = wrapper.parent;
  }
  return "";
}

/** The name of the language above the code, as twoslash writes it. */
function findLanguageLabel({ children }: Element): string {
  const label = children.find((child) => typeof child !== "string" && child.attributes.class === "language-id");
  const [text] = typeof label === "object" ? label.children : [];
  return typeof text === "string" && languages.has(text.toLowerCase()) ? text.toLowerCase() : "";
}

/** The first code or pre element inside that names a language. The first of all may be the one of a gutter. */
function findNamedCode(block: Element): Element | undefined {
  const stack: Element[] = [block];
  for (
    let element = stack.pop(), count = 0;
    element !== undefined && count < MAX_SEARCHED_ELEMENTS;
    element = stack.pop(), count += 1
  ) {
    const isCode = element.tag === "code" || element.tag === "pre";
    if (element !== block && isCode && languageNamedBy(element, isNotGenerated) !== "") return element;
    for (let index = Math.min(element.children.length, MAX_SEARCHED_ELEMENTS) - 1; index >= 0; index -= 1) {
      const child = element.children[index];
      if (typeof child === "object") stack.push(child);
    }
  }
  return undefined;
}

/** Whether a class that is only the name of a language means it, judged by all classes of its element. */
type BareNameCheck = (names: readonly string[]) => boolean;

/** Several classes of a few letters each are generated, and one of them may look like a language. */
const isNotGenerated: BareNameCheck = (names) =>
  names.length === 1 || names.some((name) => name.length > htmlWeights.code.maxGeneratedClassChars);
const isBesideCodeName: BareNameCheck = (names) => names.some((name) => codeName.test(name));
const codeName = /code|highlight|hljs|prism|shiki|chroma|source|syntax|snippet|listing|editor/i;

/** The language that an element names; by a bare class name only if `isBareName` allows it. */
function languageNamedBy(element: Element, isBareName: BareNameCheck | undefined): string {
  const { attributes } = element;
  const attribute = attributes["data-lang"] ?? attributes["data-language"] ?? attributes.language;
  if (attribute !== undefined && /^[\w+#.-]{1,30}$/.test(attribute)) return normalizeLanguage(attribute);
  const className = attributes.class ?? "";
  const brush = /brush:\s*([\w+#-]+)/.exec(className);
  if (brush?.[1] !== undefined) return normalizeLanguage(brush[1]);
  const names = className.split(/\s+/);
  for (const name of names) {
    const match =
      /^(?:language|lang|highlight-source|highlight|code-block|syntax|sourceCode|brush)[-:]([\w+#.-]+)$/i.exec(name);
    if (match?.[1] === undefined || notLanguages.has(match[1].toLowerCase())) continue;
    if (!/^(?:highlight|code-block|syntax)-(?!source)/i.test(name) || languages.has(match[1].toLowerCase()))
      return normalizeLanguage(match[1]);
  }
  if (isBareName === undefined || !isBareName(names)) return "";
  return names.map((name) => name.toLowerCase()).find((name) => languages.has(name)) ?? "";
}

/** Words after a prefix such as `highlight-` that name a part of the block, not its language. */
const notLanguages = wordSet(
  "source wrapper text-wrapper block container inline toolbar code header content body table default none plain",
);

/** Names for code without a language. */
const emptyLanguages = wordSet("plaintext none default auto nohighlight");

function normalizeLanguage(name: string): string {
  const lower = name.toLowerCase();
  return emptyLanguages.has(lower) ? "" : lower;
}

const languages = wordSet(
  "javascript js jsx typescript ts tsx python python3 py ruby rb rust go golang java kotlin swift scala php perl lua c cpp c++ csharp cs " +
    "objectivec bash sh shell zsh powershell console json json5 yaml yml toml ini xml html css scss sass less sql graphql haskell elixir erlang " +
    "clojure lisp scheme ocaml fsharp r julia matlab dart groovy makefile dockerfile cmake diff markdown tex latex vim nginx apache " +
    "protobuf wasm zig nim solidity svelte vue astro assembly asm fortran pascal prolog racket hcl terraform http lean lean4 text",
);
