/** Reads the size and the words of an SVG: title, description and text, in the order of the source. */
import { decodeText } from "../decode-text.ts";
import type { ExtractItem, HandlerOptions, LocalFile } from "../handler.ts";
import { readBytes } from "../local-file.ts";
import { toTextSegments } from "../text-segments.ts";
import { scanXml, XmlLimitError, type XmlTag } from "../xml/scan-xml.ts";
import type { ImageFacts } from "./image-handler.ts";

/** Facts, then the words, one line for each text of the drawing. */
export async function* readSvg(
  file: LocalFile,
  { from }: HandlerOptions,
  signal: AbortSignal,
): AsyncGenerator<ExtractItem<ImageFacts>> {
  const { svg, write, end } = scanSvg();
  try {
    for await (const chunk of decodeText(readBytes(file, signal), file.charset)) write(chunk);
    end();
  } catch (error) {
    if (!(error instanceof XmlLimitError)) throw error;
    yield { failed: { reason: "too_large", detail: error.message } };
    return;
  }
  const { width, height, lines } = svg;
  yield { info: width === undefined || height === undefined ? {} : { width, height } };
  if (lines.length > 0) yield* toTextSegments(toTexts(lines), { from, isMarkdown: false });
}

async function* toTexts(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield `${line}\n`;
}

type SvgText = { width?: number; height?: number; readonly lines: string[] };

const MAX_LINES = 20_000;

/** A scanner; the result is complete after `end`. */
function scanSvg(): { readonly svg: SvgText; write(chunk: string): void; end(): void } {
  const svg: SvgText = { lines: [] };
  let current = "";
  /** How many elements with text are open, and how many whose content is not shown. */
  let [textDepth, hiddenDepth] = [0, 0];
  const flush = () => {
    const line = current.replaceAll(/\s+/g, " ").trim();
    if (line !== "" && svg.lines.length < MAX_LINES) svg.lines.push(line);
    current = "";
  };
  const { write, end } = scanXml({
    open(name, tag) {
      if (name === "svg" && svg.width === undefined) Object.assign(svg, readSize(tag));
      if (textElements.has(name)) textDepth++;
      if (hiddenElements.has(name)) hiddenDepth++;
      if (name === "tspan" && tag.get("x") !== undefined) flush();
    },
    close(name) {
      if (hiddenElements.has(name)) hiddenDepth--;
      if (!textElements.has(name)) return;
      textDepth--;
      if (textDepth === 0) flush();
    },
    text(text) {
      if (textDepth > 0 && hiddenDepth === 0) current += text;
    },
  });
  return { svg, write, end };
}

const textElements: ReadonlySet<string> = new Set(["title", "desc", "text", "foreignObject"]);
const hiddenElements: ReadonlySet<string> = new Set(["script", "style", "metadata"]);

/** In pixels, or as the box that is shown. */
function readSize(tag: XmlTag): Pick<SvgText, "width" | "height"> {
  const [width, height] = [tag.get("width"), tag.get("height")].map((value) =>
    /^[\d.]+(px)?$/.test(value ?? "") ? Math.round(Number.parseFloat(value ?? "")) : 0,
  );
  if (width && height) return { width, height };
  const [, , boxWidth = 0, boxHeight = 0] = (tag.get("viewBox") ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return boxWidth > 0 && boxHeight > 0 ? { width: Math.round(boxWidth), height: Math.round(boxHeight) } : {};
}
