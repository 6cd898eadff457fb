/** Unlikely blocks that are kept, because what is around them would be left without its content. */

import { createContains, type Element, type Page } from "../tree/tree.ts";
import type { BlockLayout } from "./block-layout.ts";
import type { ContentBlock } from "./content-blocks.ts";

/**
 * Lists the elements without those that a reader needs: files, warnings, what a colon announces, all under a heading, and
 * the heading of what is kept.
 */
export function leaveOutNeeded(
  page: Page,
  unlikely: readonly Element[],
  blocks: readonly ContentBlock[],
  layout: BlockLayout,
): readonly Element[] {
  const drops = new PlannedDrops(unlikely, blocks, layout);
  const linksFile = createContains(page, isFileLink);
  for (const element of unlikely) if (linksFile(element) || isWarning(element)) drops.keepWithHeading(element);
  for (const index of blocks.keys()) drops.keepAfterColon(index);
  for (const index of blocks.keys()) drops.keepUnderHeading(index);
  for (const index of blocks.keys()) drops.keepHeadingOf(index);
  return drops.list();
}

/** Documents, data, archives and installers: promotions lead to pages. */
const filePath =
  /^[^?#]*\.(?:pdf|epub|docx?|xlsx?|pptx?|od[tsp]|rtf|csv|tsv|zip|7z|rar|tar|t?gz|tbz2?|bz2|t?xz|dmg|pkg|msi|exe|deb|rpm|apk|iso)(?:[?#]|$)/i;

function isFileLink({ tag, attributes }: Element): boolean {
  return tag === "a" && filePath.test(attributes.href ?? "");
}

/** How many levels around a line may name it a warning. */
const MAX_WARNING_LEVELS = 3;

/** A box that manuals set between paragraphs, however short: "Since 2.0." */
function isWarning(element: Element): boolean {
  let box: Element | null = element;
  for (let level = 0; level < MAX_WARNING_LEVELS && box !== null; level += 1, box = box.parent)
    if (warningName.test(box.attributes.class ?? "")) return true;
  return false;
}
const warningName = /(?:^|[\s_-])(?:admonition|alert|callout|caution|warning)(?:[\s_-]|$)/i;

class PlannedDrops {
  readonly #blocks: readonly ContentBlock[];
  readonly #layout: BlockLayout;
  /** For each block the element that it would be dropped with. */
  readonly #elementOf: (Element | undefined)[];

  constructor(unlikely: readonly Element[], blocks: readonly ContentBlock[], layout: BlockLayout) {
    this.#blocks = blocks;
    this.#layout = layout;
    this.#elementOf = blocks.map(() => undefined);
    for (const element of unlikely) this.#set(element, element);
  }

  list(): readonly Element[] {
    return [...new Set(this.#elementOf.filter((element) => element !== undefined))];
  }

  keepWithHeading(element: Element): void {
    const above = this.#layout.rangeOf(element).start - 1;
    this.#set(element, undefined);
    if (this.#levelOf(above) > 0) this.#keep(above);
  }

  /** A line that ends with a colon announces the block after it. */
  keepAfterColon(index: number): void {
    if (!this.#isDropped(index) && /[:：]$/.test(this.#blocks[index]?.text ?? "")) this.#keep(index + 1);
  }

  /** A heading above another one of its level, with nothing between them, would have no content. */
  keepUnderHeading(index: number): void {
    const level = this.#levelOf(index);
    if (level < 2 || this.#isDropped(index)) return;
    let end = index + 1;
    while (this.#isDropped(end) && this.#levelOf(end) === 0) end += 1;
    const isEmptied = end === this.#blocks.length || (this.#levelOf(end) > 0 && this.#levelOf(end) <= level);
    if (isEmptied) for (let next = index + 1; next < end; next += 1) this.#keep(next);
  }

  /** The heading right above a block that is kept; without it, the block would be read as part of the section before. */
  keepHeadingOf(index: number): void {
    if (!this.#isDropped(index) && this.#levelOf(index) === 0 && this.#levelOf(index - 1) > 0) this.#keep(index - 1);
  }

  #keep(index: number): void {
    const element = this.#elementOf[index];
    if (element !== undefined) this.#set(element, undefined);
  }

  #set(element: Element, value: Element | undefined): void {
    const { start, end } = this.#layout.rangeOf(element);
    this.#elementOf.fill(value, start, end);
  }

  #isDropped(index: number): boolean {
    return this.#elementOf[index] !== undefined;
  }

  /** 0 for a block that is not a heading. */
  #levelOf(index: number): number {
    return this.#blocks[index]?.headingLevel ?? 0;
  }
}
