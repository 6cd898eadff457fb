/** Reads the comments on slides, of the old form and of the one with replies, with the names of their authors. */
import type { Zip } from "../../zip/open-zip.ts";
import { findTarget, type Relation, scanPart } from "../package-parts.ts";

/** Names of authors by id. Ids of the two forms differ, so one map holds both. */
export async function readAuthors(
  zip: Zip,
  relations: ReadonlyMap<string, Relation>,
): Promise<ReadonlyMap<string, string>> {
  const authors = new Map<string, string>();
  for (const type of ["commentAuthors", "authors"]) {
    await scanPart(zip, findTarget(relations, type), {
      open(name, tag) {
        if (name === "cmAuthor" || name === "author") authors.set(tag.get("id") ?? "", tag.get("name") ?? "");
      },
      close: () => undefined,
    });
  }
  return authors;
}

type Comment = { readonly author: string; readonly isReply: boolean; text: string };

/** The comments of a slide as a list; replies follow what they answer. */
export async function readComments(
  zip: Zip,
  parts: readonly string[],
  authors: ReadonlyMap<string, string>,
): Promise<string> {
  const comments: Comment[] = [];
  for (const part of parts) {
    // Replies are inside the comment that they answer, before its own text.
    const open: Comment[] = [];
    let isText = false;
    const addText = (text: string): void => {
      const current = open.at(-1);
      if (current) current.text += text;
    };
    await scanPart(zip, part, {
      open(name, tag) {
        if (name === "cm" || name === "reply") {
          const author = authors.get(tag.get("authorId") ?? "") ?? "";
          open.push({ author, isReply: name === "reply", text: "" });
          comments.push(...open.slice(-1));
        }
        isText = name === "text" || name === "t";
      },
      close(name) {
        isText = false;
        if (name === "p") addText(" ");
        if (name === "cm" || name === "reply") open.pop();
      },
      text(text) {
        if (isText) addText(text);
      },
    });
  }
  const lines = comments.filter(({ text }) => text.trim() !== "").map(writeComment);
  return lines.length === 0 ? "" : `Comments:\n\n${lines.join("\n")}`;
}

function writeComment({ author, isReply, text }: Comment): string {
  return `${isReply ? "  " : ""}- ${author || "Comment"}: ${text.replaceAll(/\s+/g, " ").trim()}`;
}
