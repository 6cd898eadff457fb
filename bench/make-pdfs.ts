/**
 * Makes PDFs whose structure is known: renders Markdown files through Chromium and LibreOffice in several styles, and
 * writes the HTML they were made from beside them. `node bench/make-pdfs.ts SOURCES TARGET`
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

/** A package of the benches only, so that the rest is checked without it. */
const markdownPackage: string = "marked";
const { marked } = (await import(markdownPackage)) as {
  readonly marked: { parse(text: string): string | Promise<string> };
};

const [sources = "", target = ""] = process.argv.slice(2);
if (target === "") throw new Error("Name the folder of Markdown files and the folder for the PDFs.");
mkdirSync(target, { recursive: true });

/** How pages look. None of them is a rule of ours: sizes, weights, rules and columns as people set them. */
const styles = [
  "body { font: 11pt/1.4 'DejaVu Serif', serif } th, td { border: 1px solid #888; padding: 4px } table { border-collapse: collapse }",
  "body { font: 10pt/1.3 'Liberation Sans', sans-serif } h1 { font-size: 15pt } h2 { font-size: 12pt } h3, h4 { font-size: 10pt } th, td { padding: 3px 12px; text-align: left } tr { border-bottom: 1px solid #ccc } table { border-collapse: collapse }",
  "body { font: 9pt/1.25 'Liberation Serif', serif; column-count: 2; column-gap: 24pt; text-align: justify; hyphens: auto } h1 { column-span: all; text-align: center } pre { font-size: 7pt; white-space: pre-wrap } table { font-size: 7.5pt } th, td { padding: 2px 6px }",
  "body { font: 12pt/1.5 'Liberation Sans', sans-serif } h1, h2, h3 { font-weight: normal; color: #246 } th { background: #eee } td, th { padding: 6px 10px; border-top: 1px solid #ddd }",
] as const;

const options = { stdio: "ignore", timeout: 60_000 } as const;
const printers = ["chromium-tagged", "chromium", "libreoffice"] as const;

for (const name of readdirSync(sources)
  .filter((file) => file.endsWith(".md"))
  .sort()) {
  const text = readFileSync(join(sources, name), "utf8").replace(/^---\n[\s\S]*?\n---\n/, "");
  // Nothing is loaded or run: only text and its structure are wanted.
  const body = (await marked.parse(text)).replace(/<img\b[^>]*>|<script\b[\s\S]*?<\/script>/g, "");
  for (const [index, printer] of printers.entries()) {
    const pick = createHash("sha256").update(name).digest()[index] ?? 0;
    print(printer, name.slice(0, -3), body, styles[pick % styles.length] ?? styles[0]);
  }
}

function print(printer: (typeof printers)[number], name: string, body: string, style: string): void {
  const folder = mkdtempSync(join(tmpdir(), "pdfs-"));
  // LibreOffice draws borders by this attribute only.
  const hasBorders = style.includes("border: 1px solid");
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>${style}</style></head><body>\n${hasBorders ? body.replaceAll("<table>", '<table border="1">') : body}\n</body></html>\n`;
  const page = join(folder, "page.html");
  writeFileSync(page, html);
  try {
    if (printer === "libreoffice") runLibreOffice(page, folder);
    else runChromium(page, folder, printer === "chromium-tagged");
    const file = join(resolve(target), `${name}.${printer}`);
    renameSync(join(folder, "page.pdf"), `${file}.pdf`);
    writeFileSync(`${file}.html`, html);
  } catch (error) {
    console.error(`${basename(name)}, ${printer}: ${error}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runChromium(page: string, folder: string, isTagged: boolean): void {
  const tags = isTagged ? "--export-tagged-pdf" : "--disable-pdf-tagging";
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND", tags];
  const profile = `--user-data-dir=${join(folder, "profile")}`;
  execFileSync(
    "chromium",
    [...flags, profile, `--print-to-pdf=${join(folder, "page.pdf")}`, `file://${page}`],
    options,
  );
}

function runLibreOffice(page: string, folder: string): void {
  const profile = `-env:UserInstallation=file://${join(tmpdir(), "pdfs-libreoffice")}`;
  const filter = 'pdf:writer_web_pdf_Export:{"UseTaggedPDF":{"type":"boolean","value":"false"}}';
  execFileSync("soffice", [profile, "--headless", "--convert-to", filter, "--outdir", folder, page], options);
}
