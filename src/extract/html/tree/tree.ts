/** The light tree of a page, and how to read text from it and search in it. */

/** An element or a run of text. */
export type Node = Element | string;

export type Element = {
  /** Position in document order: the descendants of an element are those from `index + 1` up to `end`. */
  readonly index: number;
  end: number;
  readonly tag: string;
  readonly parent: Element | null;
  readonly children: Node[];
  readonly attributes: Attributes;
  /** Hidden by its own attributes; class names are judged elsewhere. */
  hidden: boolean;
};

export type Attributes = Readonly<Partial<Record<string, string>>>;

/** A script that carries the content of the page, or facts about it, as data. */
export type Payload = { readonly kind: "json-ld" | "json" | "flight"; readonly text: string };

export type Page = {
  readonly root: Element;
  /** Every element in document order, parents before their children. */
  readonly elements: readonly Element[];
  readonly payloads: readonly Payload[];
  /** False if a limit was reached: the tree then ends early. */
  readonly isComplete: boolean;
};

const tagIndexes = new WeakMap<Page, ReadonlyMap<string, readonly Element[]>>();

/** The elements with a tag in document order. The first call for a page indexes all its tags. */
export function listByTag(page: Page, tag: string): readonly Element[] {
  let index = tagIndexes.get(page);
  if (index === undefined) {
    index = Map.groupBy(page.elements, (element) => element.tag);
    tagIndexes.set(page, index);
  }
  return index.get(tag) ?? [];
}

/** Limits on the tree of one page. */
export const treeLimits = {
  maxDepth: 500,
  maxElements: 400_000,
  maxAttributeChars: 4096,
  maxPayloadChars: 8_000_000,
  maxStyleChars: 1_000_000,
} as const;

/** Looking at the siblings of each of very many elements would be quadratic; elements with more are not compared. */
export const MAX_SIBLINGS = 400;

/**
 * The text under an element without markup: all of it, or at least its first `enoughChars` characters. In the second
 * case the number of elements is bounded too, so looking at the start of a large element is cheap.
 */
export function collectText(element: Element, enoughChars = Number.POSITIVE_INFINITY): string {
  const { children } = element;
  if (children.length === 0) return "";
  if (children.length === 1 && typeof children[0] === "string") return children[0];
  const maxElements = 2 * treeLimits.maxDepth + enoughChars;
  const texts: string[] = [];
  let chars = 0;
  let elements = 0;
  const stack: { readonly element: Element; next: number }[] = [{ element, next: 0 }];
  for (
    let frame = stack.at(-1);
    frame !== undefined && chars < enoughChars && elements < maxElements;
    frame = stack.at(-1)
  ) {
    const child = frame.element.children[frame.next];
    frame.next += 1;
    if (child === undefined) stack.pop();
    else if (typeof child === "string") {
      texts.push(child);
      chars += child.length;
    } else {
      elements += 1;
      stack.push({ element: child, next: 0 });
    }
  }
  return texts.join("");
}

/**
 * Makes a test for "this element is, or contains, a wanted one" that takes constant time for elements of any size. The
 * wanted ones are counted at its first use.
 */
export function createContains(
  { elements }: Pick<Page, "elements">,
  isWanted: (element: Element) => boolean,
): (element: Element) => boolean {
  let countBefore: Int32Array | undefined;
  return ({ index, end }) => {
    countBefore ??= countWanted(elements, isWanted);
    return (countBefore[end] ?? 0) > (countBefore[index] ?? 0);
  };
}

/** How many wanted elements there are before each index. */
function countWanted(elements: readonly Element[], isWanted: (element: Element) => boolean): Int32Array {
  const countBefore = new Int32Array(elements.length + 1);
  let count = 0;
  for (let index = 0; index < elements.length; index += 1) {
    if (isWanted(elements[index] as Element)) count += 1;
    countBefore[index + 1] = count;
  }
  return countBefore;
}

/** Whether an element has an ancestor with this tag. */
export function isInside(element: Element, tag: string): boolean {
  for (let ancestor = element.parent; ancestor !== null; ancestor = ancestor.parent)
    if (ancestor.tag === tag) return true;
  return false;
}

/** Whether a script holds the source of a formula, as older pages do. */
export function isFormulaScript({ tag, attributes }: Element): boolean {
  return tag === "script" && attributes.type?.startsWith("math/") === true;
}
