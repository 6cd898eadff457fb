/** Reddit: a thread's address with `.json` is the thread as data. */
import { toFields, toLine, toList } from "../../system/json-values.ts";
import type { Site } from "../site.ts";
import { type Fields, toMarkdownSource, toText } from "../site-document.ts";
import { type Reply, writeThread } from "./thread.ts";

export const reddit: Site = {
  apiUrl: "https://www.reddit.com",
  findPage({ pathname }) {
    const [, id] = /^(?:\/r\/\w+|\/user\/[\w-]+)?\/comments\/(\w+)(?:\/|$)/.exec(pathname) ?? [];
    if (id === undefined) return undefined;
    return async (api) => {
      const [posts, comments] = toList(await api.json(`/comments/${id}.json?raw_json=1&limit=200`));
      const [post = {}] = listThings(posts);
      const title = toLine(post.title);
      if (title === "") throw new TypeError("A thread without a title.");
      const facts = {
        subreddit: toLine(post.subreddit_name_prefixed),
        author: toLine(post.author),
        date: toDate(post.created_utc),
        score: typeof post.score === "number" ? post.score : undefined,
        link: post.is_self === true ? undefined : toLine(post.url),
      };
      const things = listThings(comments);
      const thread = { title, facts, body: toText(post.selftext), replyName: "Comments" as const };
      const replies = things.flatMap(toReply);
      return toMarkdownSource(`thread ${id}`, writeThread({ ...thread, replies, missing: countMissing(things) }));
    };
  },
};

/** The posts or comments of a listing; the entry `more` only counts those that were left out. */
const listThings = (listing: unknown): Fields[] =>
  toList(toFields(toFields(listing).data).children).map((child) => toFields(toFields(child).data));

function toReply(comment: Fields): Reply[] {
  if (typeof comment.body !== "string") return [];
  const score = typeof comment.score === "number" && comment.score_hidden !== true ? `${comment.score} points` : "";
  const replies = listThings(comment.replies).flatMap(toReply);
  return [
    {
      author: toLine(comment.author),
      about: [score, toDate(comment.created_utc)],
      body: toText(comment.body),
      replies,
    },
  ];
}

function countMissing(things: readonly Fields[]): number {
  return things.reduce((sum, thing) => {
    const own = typeof thing.body === "string" ? 0 : Number(thing.count ?? 0);
    return sum + own + countMissing(listThings(thing.replies));
  }, 0);
}

const toDate = (seconds: unknown): string =>
  typeof seconds === "number" ? new Date(seconds * 1_000).toISOString().slice(0, 10) : "";
