/** The text of one paragraph with its formats. Neighbouring runs of the same format share one pair of signs. */

const signs = { bold: "**", italic: "_", strike: "~~" } as const;
type Format = keyof typeof signs | "hidden";

export class InlineText {
  #text = "";
  /** Text of the current format that was not written yet. */
  #pending = "";
  #pendingFormat = "";
  #run = new Set<Format>();
  #script = "";
  #link: { readonly target: string; readonly at: number } | undefined;

  startRun(): void {
    this.#run = new Set();
    this.#script = "";
  }

  endRun(): void {
    this.#run = new Set();
    this.#script = "";
  }

  setFormat(format: Format, isOn: boolean): void {
    if (isOn) this.#run.add(format);
    else this.#run.delete(format);
  }

  /** `superscript` or `subscript`. */
  setScript(script: string): void {
    this.#script = script;
  }

  add(text: string): void {
    if (this.#run.has("hidden") || text === "") return;
    const format = (["bold", "italic", "strike"] as const).filter((name) => this.#run.has(name)).join(" ");
    const isGap = text.trim() === "";
    if (format !== this.#pendingFormat && !isGap) {
      this.#flush();
      this.#pendingFormat = format;
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
    const label = this.#text.slice(this.#link.at);
    const { target } = this.#link;
    if (label.trim() !== "" && label.trim() !== target)
      this.#text = `${this.#text.slice(0, this.#link.at)}[${label.trim()}](${target.replaceAll(" ", "%20")})`;
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

  /** Signs touch the words they format, so white space around them stays outside. */
  #flush(): void {
    const [, before = "", core = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(this.#pending) ?? [];
    const marks = this.#pendingFormat.split(" ").filter((name) => name in signs) as (keyof typeof signs)[];
    const open = core === "" || core.includes("\n") ? "" : marks.map((name) => signs[name]).join("");
    this.#text += `${before}${open}${core}${[...open.matchAll(/\*\*|_|~~/g)].reverse().join("")}${after}`;
    this.#pending = "";
  }
}
