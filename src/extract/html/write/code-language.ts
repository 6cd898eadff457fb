/** The language of a code block, from the many places where pages write it. */
import { wordSet } from "../tree/tags.ts";
import type { Element } from "../tree/tree.ts";

/** The language a code block, its code element or a wrapper near it names, or "". */
export function findCodeLanguage(block: Element): string {
  const inner = findNamedCode(block);
  for (const element of inner === undefined ? [block] : [inner, block]) {
    const named = languageNamedBy(element, isNotGenerated);
    if (named !== "") return named;
  }
  let wrapper = block.parent;
  for (let level = 0; level < 4 && wrapper !== null && wrapper.tag !== "body"; level += 1) {
    const named = languageNamedBy(wrapper, level < 2 ? isBesideCodeName : undefined);
    if (named !== "") return named;
    wrapper = wrapper.parent;
  }
  return "";
}

/** The first code or pre element inside that names a language: a table with a gutter has its own for the numbers. */
function findNamedCode(block: Element): Element | undefined {
  const stack: Element[] = [block];
  for (
    let element = stack.pop(), seen = 0;
    element !== undefined && seen < MAX_SEARCHED_ELEMENTS;
    element = stack.pop(), seen += 1
  ) {
    const isCode = element.tag === "code" || element.tag === "pre";
    if (element !== block && isCode && languageNamedBy(element, isNotGenerated) !== "") return element;
    for (let at = Math.min(element.children.length, MAX_SEARCHED_ELEMENTS) - 1; at >= 0; at -= 1) {
      const child = element.children[at];
      if (typeof child === "object") stack.push(child);
    }
  }
  return undefined;
}
const MAX_SEARCHED_ELEMENTS = 50;

/** Whether a class that is the name of a language means it, beside the other classes of its element. */
type BareNameCheck = (names: readonly string[]) => boolean;

/** Classes of two or three letters each are made by a program. */
const isNotGenerated: BareNameCheck = (names) => names.length === 1 || names.some((name) => name.length > 3);
const isBesideCodeName: BareNameCheck = (names) => names.some((name) => codeName.test(name));
const codeName = /code|highlight|hljs|prism|shiki|chroma|source|syntax|snippet|listing|editor/i;

function languageNamedBy(element: Element, isBare: BareNameCheck | undefined): string {
  const { attributes } = element;
  const told = attributes["data-lang"] ?? attributes["data-language"] ?? attributes.language;
  if (told !== undefined && /^[\w+#.-]{1,30}$/.test(told)) return normalizeLanguage(told);
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
  if (isBare === undefined || !isBare(names)) return "";
  return names.map((name) => name.toLowerCase()).find((name) => languages.has(name)) ?? "";
}

const notLanguages = wordSet(
  "source wrapper text-wrapper block container inline toolbar code header content body table default none plain",
);

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
