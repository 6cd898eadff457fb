/** Hacker News, through the search service that keeps whole threads: https://hn.algolia.com/api */
import { writeWholePage } from "../../extract/html/page.ts";
import { toFields, toLine, toList } from "../../system/json-values.ts";
import type { Site } from "../site.ts";
import { type Fields, requireLine, toDay, toMarkdownSource, toText } from "../site-document.ts";
import { type Reply, writeThread } from "./thread.ts";

export const hackerNews: Site = {
  apiUrl: "https://hn.algolia.com/api/v1",
  findPage({ pathname, searchParams }) {
    const id = pathname === "/item" ? searchParams.get("id") : null;
    if (id === null || !/^\d+$/.test(id)) return undefined;
    return async (api) => {
      const item = toFields(await api.json(`/items/${id}`));
      const title = toLine(item.title) || `Comment by ${requireLine(item.author)}`;
      const facts = {
        link: toLine(item.url),
        points: typeof item.points === "number" ? item.points : undefined,
        author: toLine(item.author),
        date: toDay(item.created_at),
      };
      const replies = toReplies(item.children);
      const body = toMarkdown(item.text);
      return toMarkdownSource(
        `item ${id}`,
        writeThread({ title, facts, body, replyName: "Comments", replies, missing: 0 }),
      );
    };
  },
};

const toReplies = (children: unknown): Reply[] =>
  toList(children)
    .map(toFields)
    .filter(({ author }) => typeof author === "string")
    .map(toReply);

function toReply(comment: Fields): Reply {
  const replies = toReplies(comment.children);
  return {
    author: toLine(comment.author),
    about: [toDay(comment.created_at)],
    body: toMarkdown(comment.text),
    replies,
  };
}

const toMarkdown = (html: unknown): string => {
  const text = toText(html);
  return text === "" ? "" : writeWholePage(text, { mode: "markdown" }).text.trim();
};
