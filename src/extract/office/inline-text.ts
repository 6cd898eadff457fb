/** The text of one paragraph with its formats. Neighbouring runs of the same format share one pair of signs. */

/** Formats as bits: a run has any of them. */
const formatBits = { bold: 1, italic: 2, strike: 4 } as const;
type Format = keyof typeof formatBits;

/** The signs before and after text of each combination of formats. */
const signs = Array.from({ length: 8 }, (_, formats) => {
  const used = [
    ...(formats & formatBits.bold ? ["**"] : []),
    ...(formats & formatBits.italic ? ["_"] : []),
    ...(formats & formatBits.strike ? ["~~"] : []),
  ];
  return { open: used.join(""), close: used.toReversed().join("") };
});

export class InlineText {
  #text = "";
  /** Text of one combination of formats that was not written yet. */
  #pending = "";
  #pendingFormats = 0;
  #runFormats = 0;
  #isHidden = false;
  #script = "";
  #link: { readonly target: string; readonly at: number } | undefined;

  /** Begins a run, which has no formats yet; text between runs has none either. */
  startRun(): void {
    this.#runFormats = 0;
    this.#isHidden = false;
    this.#script = "";
  }

  endRun(): void {
    this.startRun();
  }

  setFormat(format: Format, isOn: boolean): void {
    if (isOn) this.#runFormats |= formatBits[format];
    else this.#runFormats &= ~formatBits[format];
  }

  setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden;
  }

  /** `superscript` or `subscript`. */
  setScript(script: string): void {
    this.#script = script;
  }

  add(text: string): void {
    if (this.#isHidden || text === "") return;
    // White space has no visible format, so it does not end a run.
    if (this.#runFormats !== this.#pendingFormats && text.trim() !== "") {
      this.#flush();
      this.#pendingFormats = this.#runFormats;
    }
    this.#pending += this.#script === "" ? text : this.#writeScript(text);
  }

  openLink(target: string | undefined): void {
    this.#flush();
    this.#link = target === undefined ? undefined : { target, at: this.#text.length };
  }

  closeLink(): void {
    this.#flush();
    if (this.#link === undefined) return;
    const { target, at } = this.#link;
    const label = this.#text.slice(at).trim();
    if (label !== "" && label !== target)
      this.#text = `${this.#text.slice(0, at)}[${label}](${target.replaceAll(" ", "%20")})`;
    this.#link = undefined;
  }

  end(): string {
    this.#flush();
    return this.#text;
  }

  #writeScript(text: string): string {
    if (!/^[\w+-]{1,6}$/.test(text)) return text;
    if (this.#script === "superscript") return `^${text}`;
    return this.#script === "subscript" ? `_${text}` : text;
  }

  /** Signs touch the words they format, so white space around them stays outside. They cannot span lines. */
  #flush(): void {
    const pending = this.#pending;
    this.#pending = "";
    const core = this.#pendingFormats === 0 ? "" : pending.trim();
    const { open, close } = signs[this.#pendingFormats] ?? { open: "", close: "" };
    if (core === "" || core.includes("\n")) this.#text += pending;
    else {
      const start = pending.indexOf(core);
      this.#text += `${pending.slice(0, start)}${open}${core}${close}${pending.slice(start + core.length)}`;
    }
  }
}
