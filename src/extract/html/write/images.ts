/** Images as Markdown: their alternative text, which is all that a reader of text can use. */
import type { Attributes } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";

/** Writes images, and remembers their labels: a gallery shows one thing many times under one label. */
export class ImageWriter {
  readonly #labels = new Set<string>();

  /** The Markdown of an image; undefined without a label, for a file name, and for a label that repeats outside a table. */
  write({ alt = "" }: Attributes, isInTable: boolean): string | undefined {
    const label = alt.replace(/\s+/g, " ").trim();
    if (label === "" || isFileName(label) || (!isInTable && this.#isRepeated(label))) return undefined;
    return `![${label.replaceAll("[", "(").replaceAll("]", ")")}]()`;
  }

  /** Records a label and says whether it was there before. Short labels belong to icons, which repeat for a reason. */
  #isRepeated(label: string): boolean {
    if (label.length < htmlWeights.writing.minImageLabelChars) return false;
    const isRepeated = this.#labels.has(label);
    this.#labels.add(label);
    return isRepeated;
  }
}

function isFileName(label: string): boolean {
  return /^[^ ]+\.(?:jpe?g|png|gif|webp|svg|avif)$/i.test(label);
}
