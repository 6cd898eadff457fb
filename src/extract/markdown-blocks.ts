/** Writes blocks of Markdown in order: headings, paragraphs, list items, tables and code, with blank lines between. */

type BlockKind = "item" | "code" | "other";

/** Collects blocks; `take` returns what was written since the last call. */
export class MarkdownBlocks {
  #text = "";
  #last: BlockKind | undefined;

  heading(level: number, text: string): void {
    // Bold type adds nothing to a heading.
    const title = joinLines(text.replaceAll("**", ""));
    if (title !== "") this.#add("other", `${"#".repeat(Math.min(Math.max(level, 1), 6))} ${title}`);
  }

  paragraph(text: string): void {
    const trimmed = text.replaceAll(/[ \t]+(?=\n|$)/g, "").replace(/^\n+/, "");
    if (trimmed.trim() !== "") this.#add("other", escapeStart(trimmed.trimEnd()));
  }

  /** An item with its marker, such as `-` or `3.`. The lines after the first are indented below the text. */
  item(depth: number, marker: string, text: string): void {
    const indent = "  ".repeat(Math.min(Math.max(depth, 0), 8));
    const lines = text.trim().split("\n");
    if (lines.join("") === "") return;
    const rest = lines.slice(1).map((line) => `\n${indent}${" ".repeat(marker.length + 1)}${line}`);
    this.#add("item", `${indent}${marker} ${lines[0]}${rest.join("")}`);
  }

  /** A further paragraph of the last item. */
  itemText(depth: number, text: string): void {
    const indent = "  ".repeat(Math.min(Math.max(depth, 0), 8) + 1);
    if (text.trim() !== "") this.#add("item", text.trim().replaceAll(/^/gm, indent));
  }

  /** A line of code. Lines in a row share one fence. */
  code(text: string): void {
    if (this.#last !== "code") this.#add("code", "```");
    this.#text += `\n${text}`;
  }

  /** Cells by row. The first row is the header, because Markdown requires one. */
  table(rows: readonly (readonly string[])[]): void {
    const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ""));
    const width = filled.reduce((max, row) => Math.max(max, row.length), 0);
    if (filled.length === 0) return;
    if (width === 1) {
      for (const [cell = ""] of filled) this.paragraph(cell);
      return;
    }
    const [header = [], ...body] = filled.map((row) => writeRow(row, width));
    this.#add("other", [header, `|${" --- |".repeat(width)}`, ...body].join("\n"));
  }

  /** The text written since the last call. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /** The text that remains at the end. What follows begins another text. */
  end(): string {
    this.#closeCode();
    this.#last = undefined;
    return `${this.take()}\n`;
  }

  #add(kind: BlockKind, text: string): void {
    this.#closeCode();
    if (this.#last !== undefined) this.#text += kind === "item" && this.#last === "item" ? "\n" : "\n\n";
    this.#text += text;
    this.#last = kind;
  }

  #closeCode(): void {
    if (this.#last === "code") this.#text += "\n```";
    if (this.#last === "code") this.#last = "other";
  }
}

function writeRow(cells: readonly string[], width: number): string {
  const padded = Array.from({ length: width }, (_, column) => writeCell(cells[column] ?? ""));
  return `| ${padded.join(" | ")} |`;
}

/** A cell on one line; a bar inside it would end it. */
export function writeCell(text: string): string {
  const trimmed = text.trim();
  const escaped = trimmed.includes("|") ? trimmed.replaceAll("|", "\\|") : trimmed;
  return escaped.includes("\n") ? escaped.replaceAll(/\s*\n\s*/g, "<br>") : escaped;
}

/** Text that begins like a heading or a fence is not one. */
const escapeStart = (text: string): string => text.replace(/^(?=#{1,6}(\s|$)|```|~~~)/, "\\");

function joinLines(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, " ");
}
