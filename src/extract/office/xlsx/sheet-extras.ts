/** Reads what a sheet has beside its cells: text boxes, charts and diagrams, comments, and the header of printed pages. */
import type { Zip } from "../../zip/open-zip.ts";
import { readChart } from "../charts.ts";
import { DrawingText } from "../drawing-text.ts";
import { findTargets, type Relation, readRelations, scanPart } from "../package-parts.ts";

/** Everything as Markdown, after the table. `persons` are the authors of threaded comments by id. */
export async function readSheetExtras(
  zip: Zip,
  sheetPart: string,
  persons: ReadonlyMap<string, string>,
): Promise<string> {
  const relations = await readRelations(zip, sheetPart);
  const blocks: string[] = [];
  for (const part of findTargets(relations, "drawing")) blocks.push(...(await readDrawing(zip, part)));
  blocks.push(await readAllComments(zip, relations, persons));
  return blocks.filter((block) => block !== "").join("\n\n");
}

async function readDrawing(zip: Zip, part: string): Promise<string[]> {
  const drawing = new DrawingText(await readRelations(zip, part));
  await scanPart(zip, part, drawing);
  const charts: string[] = [];
  for (const reference of drawing.references) charts.push(await readChart(zip, reference));
  return [drawing.writeBody(), ...charts];
}

type Comment = { readonly cell: string; readonly author: string; text: string };

async function readAllComments(
  zip: Zip,
  relations: ReadonlyMap<string, Relation>,
  persons: ReadonlyMap<string, string>,
): Promise<string> {
  const threads: Comment[] = [];
  for (const part of findTargets(relations, "threadedComment"))
    threads.push(...(await readThreads(zip, part, persons)));
  const comments: Comment[] = [];
  for (const part of findTargets(relations, "comments")) comments.push(...(await readComments(zip, part)));
  // For older programs each thread is repeated as a comment, below a sentence about it.
  const threadCells = new Set(threads.map(({ cell }) => cell));
  const all = [...comments.filter(({ cell }) => !threadCells.has(cell)), ...threads];
  const lines = all.map(writeComment).filter((line) => line !== "");
  return lines.length === 0 ? "" : `Comments:\n\n${lines.join("\n")}`;
}

function writeComment({ cell, author, text }: Comment): string {
  const name = author.replace(/^tc=.*/, "");
  // Programs repeat the author's name at the start of the text.
  const said = text.replaceAll(/\s+/g, " ").trim();
  const bare = name !== "" && said.startsWith(`${name}:`) ? said.slice(name.length + 1).trim() : said;
  return bare === "" ? "" : `- ${cell}${name === "" ? "" : ` (${name})`}: ${bare}`;
}

async function readComments(zip: Zip, part: string): Promise<Comment[]> {
  const authors: string[] = [];
  const comments: Comment[] = [];
  let textOf: "author" | "comment" | undefined;
  await scanPart(zip, part, {
    open(name, tag) {
      if (name === "author") authors.push("");
      if (name === "comment") {
        const author = authors[Number(tag.get("authorId") ?? -1)] ?? "";
        comments.push({ cell: tag.get("ref") ?? "", author, text: "" });
      }
      textOf = name === "author" ? "author" : name === "t" ? "comment" : undefined;
    },
    close() {
      textOf = undefined;
    },
    text(text) {
      const comment = comments.at(-1);
      if (textOf === "author") authors[authors.length - 1] += text;
      else if (textOf === "comment" && comment) comment.text += text;
    },
  });
  return comments;
}

async function readThreads(zip: Zip, part: string, persons: ReadonlyMap<string, string>): Promise<Comment[]> {
  const comments: Comment[] = [];
  let isText = false;
  await scanPart(zip, part, {
    open(name, tag) {
      if (name === "threadedComment")
        comments.push({ cell: tag.get("ref") ?? "", author: persons.get(tag.get("personId") ?? "") ?? "", text: "" });
      isText = name === "text";
    },
    close() {
      isText = false;
    },
    text(text) {
      const comment = comments.at(-1);
      if (isText && comment) comment.text += text;
    },
  });
  return comments;
}

/** Names of the authors of threaded comments by id. */
export async function readPersons(
  zip: Zip,
  relations: ReadonlyMap<string, Relation>,
): Promise<ReadonlyMap<string, string>> {
  const persons = new Map<string, string>();
  for (const part of findTargets(relations, "person")) {
    await scanPart(zip, part, {
      open(name, tag) {
        if (name === "person") persons.set(tag.get("id") ?? "", tag.get("displayName") ?? "");
      },
      close: () => undefined,
    });
  }
  return persons;
}

/** The text of a page header or footer such as `&L&"Arial,Bold"Report&CPage &P`, without its codes. */
export function readPageHeader(code: string): string {
  return code
    .replaceAll(/&(?:"[^"]*"|K[\da-f]{6}|\d+|[LCR])/gi, " ")
    .replaceAll("&&", "\0")
    .replaceAll(/&./g, "")
    .replaceAll("\0", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
}
