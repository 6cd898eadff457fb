/** Stack Exchange: https://api.stackexchange.com/docs */
import { writeWholePage } from "../../extract/html/page.ts";
import { toFields, toLine, toList } from "../../system/json-values.ts";
import type { Site, SiteApi } from "../site.ts";
import { type Fields, toMarkdownSource, toText } from "../site-document.ts";
import { type Reply, writeThread } from "./thread.ts";

export const stackExchange: Site = {
  apiUrl: "https://api.stackexchange.com/2.3",
  findPage({ hostname, pathname }) {
    const [, id] = /^\/(?:questions|q)\/(\d+)(?:\/|$)/.exec(pathname) ?? [];
    return id === undefined ? undefined : (api) => readQuestion(api, id, toSiteName(hostname));
  },
};

/** `unix.stackexchange.com` is `unix`, `pt.stackoverflow.com` is `pt.stackoverflow`, `mathoverflow.net` is itself. */
function toSiteName(hostname: string): string {
  if (hostname === "mathoverflow.net") return hostname;
  return hostname.replace(/\.stackexchange\.com$|\.com$/, "").replace(/^www\./, "");
}

async function readQuestion(api: SiteApi, id: string, site: string) {
  const query = `site=${encodeURIComponent(site)}&filter=withbody&pagesize=100`;
  const list = async (path: string) => {
    const page = toFields(await api.json(`${path}${query}`));
    return { items: toList(page.items).map(toFields), isCut: page.has_more === true };
  };
  const [question] = (await list(`/questions/${id}?`)).items;
  if (question === undefined) throw new TypeError("A question without an item.");
  const { items: answers } = await list(`/questions/${id}/answers?order=desc&sort=votes&`);
  const posts = [id, ...answers.map(({ answer_id }) => String(answer_id))];
  // The API takes up to 100 ids at once.
  const comments = (await list(`/posts/${posts.slice(0, 100).join(";")}/comments?order=asc&sort=creation&`)).items;
  const commentsOn = (post: unknown) =>
    comments.filter(({ post_id }) => String(post_id) === String(post)).map(toComment);
  const title = toPlain(question.title);
  const facts = {
    score: Number(question.score ?? 0),
    author: nameOf(question.owner),
    date: toDate(question.creation_date),
    tags: toList(question.tags).map(toLine).join(", "),
    views: typeof question.view_count === "number" ? question.view_count : undefined,
  };
  const replies = answers.map((answer) => ({
    author: nameOf(answer.owner),
    about: [answer.is_accepted === true ? "accepted" : "", `score ${answer.score}`, toDate(answer.creation_date)],
    body: toMarkdown(answer.body),
    replies: commentsOn(answer.answer_id),
  }));
  const asked = commentsOn(id);
  const commented = asked.map(({ author, body }) => `- **${author}**: ${body}`).join("\n");
  const notes = commented === "" ? "" : `Comments on the question:\n\n${commented}`;
  const missing = Math.max(0, Number(question.answer_count ?? 0) - answers.length);
  const thread = { title, facts, body: toMarkdown(question.body), extra: notes };
  return toMarkdownSource(`question ${id}`, writeThread({ ...thread, replyName: "Answers", replies, missing }));
}

const toComment = (comment: Fields): Reply => ({ author: nameOf(comment.owner), body: toMarkdown(comment.body) });

const nameOf = (user: unknown): string => toPlain(toFields(user).display_name) || "anonymous";

/** Titles and names are HTML too. */
const toPlain = (html: unknown): string => toLine(toMarkdown(html).replaceAll(/\\([\\`*_[\]#<>])/g, "$1"));

const toMarkdown = (html: unknown): string => {
  const text = toText(html);
  return text === "" ? "" : writeWholePage(text, { mode: "markdown" }).text.trim();
};

const toDate = (seconds: unknown): string =>
  typeof seconds === "number" ? new Date(seconds * 1_000).toISOString().slice(0, 10) : "";
