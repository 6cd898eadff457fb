/** Writes links: with their address, as a number with a list of addresses at the end, or as their text alone. */
import type { LinkStyle } from "../../handler.ts";
import { htmlWeights } from "../weights.ts";
import { escapeLinkText } from "./escape.ts";

const { minRepeatDistanceChars } = htmlWeights.links;

/** A longer address is not written in the text: it carries data, such as a whole program for a playground. */
const MAX_ADDRESS_CHARS = 500;
/** In the list at the end, where a reader who does not need them passes over them, there is room for signed addresses. */
const MAX_LISTED_ADDRESS_CHARS = 2_000;

/** The links of one line of text, or of one table. */
export type LineLinks = {
  /** All addresses, those that were not repeated too. */
  readonly addresses: string;
  readonly omittedChars: number;
  /** Where each address was written. */
  readonly positions: ReadonlyMap<string, number>;
};

/** Writes the links of one page in one style, and remembers their addresses. */
export class LinkWriter {
  readonly #style: LinkStyle;
  readonly #position: () => number;
  readonly #numbers = new Map<string, number>();
  /** Where an address was written last in this section. */
  readonly #positions = new Map<string, number>();
  /** The same for the line that is being built, which may be left out as a duplicate. */
  #linePositions = new Map<string, number>();
  #addresses: string[] = [];
  #omittedChars = 0;

  /** `position` says how many characters of the text are written. */
  constructor(style: LinkStyle, position: () => number) {
    this.#style = style;
    this.#position = position;
  }

  /** A link with this text to an address. */
  write(text: string, address: string): string {
    this.#addresses.push(address);
    // A place in the same text is found by its heading.
    if (address.startsWith("#")) return this.#omit(text, address);
    if (address.length > this.#maxAddressChars || isAddressItself(text, address)) return text;
    if (this.#style === "inline" && this.#wasJustWritten(address)) return this.#omit(text, address);
    const label = escapeLinkText(text.replaceAll("\n", " "));
    return this.#style === "inline" ? `[${label}](${address})` : `[${label}][${this.#numberOf(address)}]`;
  }

  /** The links since the last call: their addresses, and how many characters of them were not repeated. */
  takeLinks(): LineLinks {
    const addresses = this.#addresses.join(" ");
    const links = { addresses, omittedChars: this.#omittedChars, positions: this.#linePositions };
    this.#addresses = [];
    this.#omittedChars = 0;
    this.#linePositions = new Map();
    return links;
  }

  /** The line with these links is part of the text. */
  keep({ positions }: LineLinks): void {
    for (const [address, position] of positions) this.#positions.set(address, position);
  }

  /** A section may be read without those before it, so it has all its addresses. */
  beginSection(): void {
    this.#positions.clear();
  }

  /** The numbered addresses, one on a line; "" if there are none. */
  list(): string {
    return [...this.#numbers].map(([address, number]) => `[${number}]: ${address}`).join("\n");
  }

  get #maxAddressChars(): number {
    if (this.#style === "none") return 0;
    return this.#style === "inline" ? MAX_ADDRESS_CHARS : MAX_LISTED_ADDRESS_CHARS;
  }

  /** Whether an address is near in the text before, as in a card whose image, title and button lead to one page. */
  #wasJustWritten(address: string): boolean {
    const now = this.#position();
    const last = this.#linePositions.get(address) ?? this.#positions.get(address);
    const isNear = last !== undefined && now - last < minRepeatDistanceChars;
    if (!isNear) this.#linePositions.set(address, now);
    return isNear;
  }

  #omit(text: string, address: string): string {
    this.#omittedChars += address.length + "[]()".length;
    return text;
  }

  #numberOf(address: string): number {
    const number = this.#numbers.get(address) ?? this.#numbers.size + 1;
    this.#numbers.set(address, number);
    return number;
  }
}

/** Whether the text of a link is its address, complete, so that it can be followed without one. */
function isAddressItself(text: string, address: string): boolean {
  const complete = text.includes("@") ? `mailto:${text}` : text;
  return /^(?:https?:\/\/|mailto:)/i.test(complete) && bareAddress(complete) === bareAddress(address);
}

/** Case matters in paths and queries, not in schemes, hosts and mail addresses. */
function bareAddress(address: string): string {
  return address
    .replaceAll("\\", "")
    .replace(/\/$/, "")
    .replace(/^[a-z]+:(?:\/\/)?[^/?#]*/i, (start) => start.toLowerCase());
}
