/** The text of one paragraph with its formats. Neighbouring runs of the same format share one pair of signs. */

const signs = { bold: "**", italic: "_", strike: "~~" } as const;
const formats = ["bold", "italic", "strike"] as const;
type Format = (typeof formats)[number];

export class InlineText {
  #text = "";
  /** Text of one format that was not written yet. */
  #pending = "";
  #pendingFormats: readonly Format[] = [];
  #runFormats = new Set<Format>();
  #isHidden = false;
  #script = "";
  #link: { readonly target: string; readonly at: number } | undefined;

  /** Begins a run, which has no formats yet; text between runs has none either. */
  startRun(): void {
    this.#runFormats = new Set();
    this.#isHidden = false;
    this.#script = "";
  }

  endRun(): void {
    this.startRun();
  }

  setFormat(format: Format, isOn: boolean): void {
    if (isOn) this.#runFormats.add(format);
    else this.#runFormats.delete(format);
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
    const current = formats.filter((format) => this.#runFormats.has(format));
    // White space has no visible format, so it does not end a run.
    if (text.trim() !== "" && current.join() !== this.#pendingFormats.join()) {
      this.#flush();
      this.#pendingFormats = current;
    }
    this.#pending += this.#writeScript(text);
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
    const core = this.#pending.trim();
    const used = core === "" || core.includes("\n") ? [] : this.#pendingFormats;
    const open = used.map((format) => signs[format]).join("");
    const close = used.toReversed().map((format) => signs[format]);
    const start = this.#pending.indexOf(core);
    const [before, after] = [this.#pending.slice(0, start), this.#pending.slice(start + core.length)];
    this.#text += `${before}${open}${core}${close.join("")}${after}`;
    this.#pending = "";
  }
}
