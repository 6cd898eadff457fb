/** The words and numbers of charts and diagrams (SmartArt), which are parts of their own. */
import type { Zip } from "../zip/open-zip.ts";
import { scanPart } from "./package-parts.ts";

const MAX_LINES = 2_000;
const MAX_SHORT_LINE_CHARS = 40;

/** The text of a chart, with one line for its title and for each series, or of a diagram, with one line for each shape. */
export async function readChart(zip: Zip, part: string): Promise<string> {
  const lines: string[][] = [];
  let current: string | undefined;
  let isFormula = false;
  await scanPart(zip, part, {
    open(name) {
      if (lineElements.has(name) && lines.length < MAX_LINES) lines.push([]);
      // Values of a series follow each other; the runs of a paragraph belong together.
      if (name === "t" || name === "v") current = "";
      isFormula = name === "f";
    },
    close(name) {
      if (name === "f") isFormula = false;
      if ((name !== "t" && name !== "v") || current === undefined) return;
      if (name === "v") lines.at(-1)?.push(current);
      else appendRun(lines.at(-1), current);
      current = undefined;
    },
    text(text) {
      if (current !== undefined && !isFormula) current += text;
    },
  });
  const written = lines.map((values) => values.join(", ").trim()).filter((line) => line !== "");
  const areShort = written.every((line) => line.length < MAX_SHORT_LINE_CHARS);
  return areShort ? written.join("; ") : written.map((line) => `- ${line}`).join("\n");
}

/** Paragraphs of titles and shapes; the name, the categories and the values of a series. */
const lineElements = new Set(["p", "tx", "cat", "val", "xVal", "yVal", "bubbleSize"]);

function appendRun(line: string[] | undefined, text: string): void {
  if (line) line[Math.max(0, line.length - 1)] = `${line.at(-1) ?? ""}${text}`;
}
