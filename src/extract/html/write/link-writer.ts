/** Writes links: with their address, as a number with a list of addresses at the end, or as their text alone. */
import type { LinkStyle } from "../../handler.ts";
import { lettersOf } from "../tree/letters.ts";
import { htmlWeights } from "../weights.ts";
import { escapeLinkText } from "./escape.ts";

const { minRepeatDistanceChars, minNameDistanceChars } = htmlWeights.links;

/** A longer address is not written in the text: it carries data, such as a whole program for a playground. */
const MAX_ADDRESS_CHARS = 500;
/** In the list at the end, where a reader who does not need them passes over them, there is room for signed addresses. */
const MAX_LISTED_ADDRESS_CHARS = 2_000;

/** The text of a link is one line. */
export const lineBreak = / *\n */g;

/** Where an address was written last: after how many characters of the text and in which section, and with which text. */
type Place = {
  readonly chars: number;
  readonly section: number;
  readonly text: string;
};

/** The links of one line of text, or of one table. */
export type LineLinks = {
  /** All addresses, those that were not repeated too. */
  readonly addresses: string;
  readonly omittedChars: number;
  /** Where each address was written. */
  readonly places: ReadonlyMap<string, Place>;
};

type LinkOptions = {
  readonly style: LinkStyle;
  /** What the page is: in a thread its people, in both its tags and authors are labels; elsewhere they may be the content. */
  readonly kind: "thread" | "article" | "other";
  /** How many characters of the text are written. */
  readonly position: () => number;
};

/** Writes the links of one page in one style, and remembers their addresses. */
export class LinkWriter {
  readonly #options: LinkOptions;
  readonly #numbers = new Map<string, number>();
  readonly #places = new Map<string, Place>();
  /** The same for the line that is being built, which may be left out as a duplicate. */
  #linePlaces = new Map<string, Place>();
  #addresses: string[] = [];
  #omittedChars = 0;
  #section = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** A link with this text to an address. */
  write(text: string, address: string): string {
    this.#addresses.push(address);
    // A place in the same text is found by its heading.
    if (address.startsWith("#")) return this.#omit(text, address);
    if (address.length > this.#maxAddressChars || isAddressItself(text, address)) return text;
    const { style } = this.#options;
    if (style === "inline" && (this.#saysNothing(text, address) || this.#wasWritten(text, address)))
      return this.#omit(text, address);
    const label = escapeLinkText(text.replace(lineBreak, " "));
    return style === "inline" ? `[${label}](${address})` : `[${label}][${this.#numberOf(address)}]`;
  }

  /** The links since the last call: their addresses, and how many characters of them were not repeated. */
  takeLinks(): LineLinks {
    const addresses = this.#addresses.join(" ");
    const links = { addresses, omittedChars: this.#omittedChars, places: this.#linePlaces };
    this.#addresses = [];
    this.#omittedChars = 0;
    this.#linePlaces = new Map();
    return links;
  }

  /** The line with these links is part of the text. */
  keep({ places }: LineLinks): void {
    for (const [address, place] of places) this.#places.set(address, place);
  }

  /** A section may be read without those before it, so it has all its addresses. */
  beginSection(): void {
    this.#section += 1;
  }

  /** The numbered addresses, one on a line; "" if there are none. */
  list(): string {
    return [...this.#numbers].map(([address, number]) => `[${number}]: ${address}`).join("\n");
  }

  get #maxAddressChars(): number {
    if (this.#options.style === "none") return 0;
    return this.#options.style === "inline" ? MAX_ADDRESS_CHARS : MAX_LISTED_ADDRESS_CHARS;
  }

  /** Whether a reader needs no address: of a person in a thread, of a tag or an author. */
  #saysNothing(text: string, address: string): boolean {
    const { kind } = this.#options;
    return kind !== "other" && (isLabel(text, address) || (kind === "thread" && person.test(address)));
  }

  /** Whether a reader finds an address, or that of the page whose comments it leads to, in the text before. */
  #wasWritten(text: string, address: string): boolean {
    const place = { chars: this.#options.position(), section: this.#section, text };
    const page = address.replace(commentsEnd, "");
    const isRepeated = this.#isSameName(address, place);
    const isNear = this.#isNear(address, place) || (page !== address && this.#isNear(page, place));
    if (!(isRepeated || isNear)) this.#linePlaces.set(address, place);
    return isRepeated || isNear;
  }

  /** A name is not linked again soon in its section, in a thread never. */
  #isSameName(address: string, { text, chars, section }: Place): boolean {
    const last = this.#findLast(address);
    if (last?.text.toLowerCase() !== text.toLowerCase()) return false;
    return this.#options.kind === "thread" || (last.section === section && chars - last.chars < minNameDistanceChars);
  }

  /** As in a card whose image, title and button lead to one page. */
  #isNear(address: string, { chars, section }: Place): boolean {
    const last = this.#findLast(address);
    return last !== undefined && last.section === section && chars - last.chars < minRepeatDistanceChars;
  }

  #findLast(address: string): Place | undefined {
    return this.#linePlaces.get(address) ?? this.#places.get(address);
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

/** The part of a page that shows its comments. */
const commentsEnd = /#(?:comments?|respond|replies|reviews?|disqus_thread)$/i;

/** A person of the same site, by the addresses that forums have for them. */
const person =
  /^(?![a-z][a-z\d+.-]*:)(?:[^?#]*\/)?(?:u\/[^/?#]+\/?$|(?:users?|members?|profiles?)\/[^/?#]+(?:\/[^/?#]+)?\/?$|(?:memberlist|member|profile)\.php\?|user\?id=|user-\d+\.html$)/i;

/** Whether the address of an author, tag or category says the same as its text. */
function isLabel(text: string, address: string): boolean {
  const name = label.exec(address)?.[1];
  return name !== undefined && lettersOf(name) === lettersOf(text);
}
const label =
  /^(?![a-z][a-z\d+.-]*:)(?:[^?#]*\/)?(?:(?:authors?|contributors?|tags?|hashtags?|topics?|categor(?:y|ies))\/|@)([^/?#]+)\/?$/i;

const doiAddress = /^https?:\/\/(?:dx\.)?doi\.org\//i;

/** Whether the text of a link is its address, so that it can be followed without one. */
function isAddressItself(text: string, address: string): boolean {
  const shown = text.replace(/[\\\u00ad\u200b\u2060\ufeff]/g, "");
  if (address.startsWith("tel:")) return isSameNumber(shown, address);
  const doi = /^(?:doi: ?)?(10\.\d{4,}\/\S+)$/i.exec(shown)?.[1];
  if (doi !== undefined) return doiAddress.test(address) && address.toLowerCase().endsWith(`/${doi.toLowerCase()}`);
  if (!shown.includes(".") || /\s/.test(shown)) return false;
  const complete = shown.includes("@") && !shown.includes("/") ? `mailto:${shown}` : shown;
  if (/^(?:https?:\/\/|mailto:)/i.test(complete)) return bareAddress(complete) === bareAddress(address);
  return bareAddress(`https://${shown}`) === bareAddress(address).replace(/^http:/, "https:");
}

/** Case matters in paths and queries, not in schemes, hosts and mail addresses. */
function bareAddress(address: string): string {
  const decoded = address.startsWith("mailto:") ? address.replace("%40", "@") : address;
  return decoded.replace(/\/$/, "").replace(/^[a-z]+:(?:\/\/)?[^/?#]*/i, (start) => start.toLowerCase());
}

/** Whether a text is the telephone number of an address, which may have the code of its country before it. */
function isSameNumber(text: string, address: string): boolean {
  const [shown, complete] = [text.replace(/\D/g, ""), address.replace(/\D/g, "")];
  if (shown.length < MIN_NUMBER_DIGITS || /\p{L}{4}/u.test(text) || !complete.endsWith(shown)) return false;
  return complete.length - shown.length <= (address.includes("+") ? MAX_COUNTRY_DIGITS : 0);
}
const MIN_NUMBER_DIGITS = 5;
const MAX_COUNTRY_DIGITS = 3;
