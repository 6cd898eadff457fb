/** Reads Jupyter notebooks: text cells as they are, code in fences, text outputs, pictures as metadata. */
import { decodeText } from "../decode-text.ts";
import type { DocumentFacts } from "../handler.ts";
import { readBytes } from "../local-file.ts";
import type { Engine } from "../pool/child-loop.ts";
import { toTextSegments } from "../text-segments.ts";

export const notebookEngine: Engine = {
  async *extract(file, { from }) {
    const source = (await Array.fromAsync(decodeText(readBytes(file, new AbortController().signal), "utf-8"))).join("");
    const notebook = parseNotebook(source);
    if (notebook === undefined) {
      yield { info: { method: "source" } };
      yield* toTextSegments(toAsync([source]), { from, isMarkdown: false });
      return;
    }
    yield { info: notebook.facts };
    yield* toTextSegments(toAsync(writeCells(notebook)), { from, isMarkdown: true });
  },
};

type Json = unknown;
type Fields = Readonly<Record<string, Json>>;
type Notebook = { readonly cells: readonly Fields[]; readonly language: string; readonly facts: DocumentFacts };

/** The cells of a notebook of format 3 or 4; undefined for any other JSON, which is shown as it is. */
function parseNotebook(source: string): Notebook | undefined {
  let root: Fields;
  try {
    root = toFields(JSON.parse(source));
  } catch {
    return undefined; // A notebook that is cut or damaged is still readable as text.
  }
  const cells = toList(root.cells ?? toFields(toList(root.worksheets)[0]).cells).map(toFields);
  if (root.nbformat === undefined || cells.length === 0) return undefined;
  const metadata = toFields(root.metadata);
  const language =
    toText(toFields(metadata.language_info).name) || toText(toFields(metadata.kernelspec).language) || "python";
  const title = toText(metadata.title);
  return { cells, language, facts: title === "" ? {} : { title } };
}

function* writeCells({ cells, language }: Notebook): Generator<string> {
  for (const [index, cell] of cells.entries()) {
    const source = joinLines(cell.source ?? cell.input).trimEnd();
    const type = toText(cell.cell_type);
    if (type === "code") yield writeFence(source, `${toText(cell.language) || language} cell ${index + 1}`);
    else if (type === "heading") yield `${"#".repeat(Math.min(Number(cell.level) || 1, 6))} ${source}`;
    else yield source;
    yield "\n\n";
    for (const output of toList(cell.outputs)) {
      const text = writeOutput(toFields(output));
      if (text !== "") yield `${text}\n\n`;
    }
  }
}

/** One output: its text where it has any, else what it is. */
function writeOutput(output: Fields): string {
  const type = toText(output.output_type);
  if (type === "stream") return writeFence(joinLines(output.text), "output");
  if (type === "error" || type === "pyerr") {
    const trace = toList(output.traceback).map(toText).join("\n");
    return writeFence(trace === "" ? `${toText(output.ename)}: ${toText(output.evalue)}` : trace, "error");
  }
  const data = toFields(output.data ?? output);
  const markdown = joinLines(data["text/markdown"]);
  if (markdown !== "") return markdown.trimEnd();
  const pictures = Object.keys(data).filter((name) => /^(image\/|png$|jpeg$|svg$)/.test(name));
  const plain = joinLines(data["text/plain"] ?? data.text);
  const text = plain === "" ? "" : writeFence(plain, "output");
  return [text, ...pictures.map((name) => `[picture: ${describePicture(name, data[name])}]`)]
    .filter((line) => line !== "")
    .join("\n");
}

function describePicture(name: string, data: Json): string {
  const chars = joinLines(data).length;
  return `${name}, ${name.includes("svg") ? chars : Math.floor((chars * 3) / 4)} bytes`;
}

/** A fence longer than any run of backticks in the text. */
function writeFence(text: string, info: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return text.trim() === "" ? "" : `${fence}${info}\n${text.trimEnd()}\n${fence}`;
}

/** Text is one string or a list of lines that keep their ends. */
const joinLines = (value: Json): string => (Array.isArray(value) ? value.map(toText).join("") : toText(value));
const toText = (value: Json): string => (typeof value === "string" ? value : "");
const toList = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);
const toFields = (value: Json): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});

async function* toAsync(texts: Iterable<string>): AsyncGenerator<string> {
  yield* texts;
}
