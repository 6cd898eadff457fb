/** Writes links: with their address, as a number with a list of addresses at the end, or as their text alone. */
import type { LinkStyle } from "../../handler.ts";
import { escapeLinkText } from "./escape.ts";

/** Writes the links of one page in one style, and numbers their addresses. */
export class LinkWriter {
  readonly #style: LinkStyle;
  readonly #numbers = new Map<string, number>();

  constructor(style: LinkStyle) {
    this.#style = style;
  }

  /** A link with this text to an address. */
  write(text: string, address: string): string {
    if (this.#style === "none") return text;
    const label = escapeLinkText(text.replaceAll("\n", " "));
    return this.#style === "inline" ? `[${label}](${address})` : `[${label}][${this.#numberOf(address)}]`;
  }

  /** The numbered addresses, one on a line; "" if there are none. */
  list(): string {
    return [...this.#numbers].map(([address, number]) => `[${number}]: ${address}`).join("\n");
  }

  #numberOf(address: string): number {
    const number = this.#numbers.get(address) ?? this.#numbers.size + 1;
    this.#numbers.set(address, number);
    return number;
  }
}
