/** Pages of the corpus at addresses of known sites, and what the API would answer with the same words. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Answers } from "../test/site-server.ts";

export type RecordedPage = {
  readonly kind: string;
  readonly url: string;
  /** Where the page is in the corpus. */
  readonly path: string;
  /** The site, and its answers rebuilt from the page; none where the page itself is read. */
  readonly site?: string;
  rebuild?(html: string): Answers;
};

/** The page as it was recorded; undefined without the corpus. */
export function readRecorded(folder: string, { path }: RecordedPage): string | undefined {
  const file = join(folder, path);
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}

const question = (path: string, host: string, id: string): RecordedPage => ({
  kind: `question (${host})`,
  url: `https://${host}/questions/${id}/x`,
  path,
  site: "stackexchange",
  rebuild: (html) => rebuildQuestion(html, id, host.replace(/\.com$/, "").replace(/\.stackexchange$/, "")),
});

export const recordedPages: readonly RecordedPage[] = [
  question("wcxb-dev-2/html/4310.html.gz", "stackoverflow.com", "50757497"),
  question("wcxb-dev-2/html/0566.html.gz", "serverfault.com", "2888"),
  {
    kind: "GitHub issue",
    url: "https://github.com/delta/weir/issues/56",
    path: "code-fixtures/general--github.com-issue-56.html",
    site: "github",
    rebuild: rebuildIssue,
  },
  {
    kind: "gist with comments",
    url: "https://gist.github.com/delta/aa11",
    path: "wcxb-dev-2/html/0404.html.gz",
    site: "github",
    rebuild: rebuildGist,
  },
  {
    kind: "old Reddit thread",
    url: "https://old.reddit.com/r/science/comments/1rku5x9/x/",
    path: "wcxb-dev-2/html/0562.html.gz",
    site: "reddit",
    rebuild: (html) => rebuildReddit(html, "1rku5x9"),
  },
  { kind: "docs.rs module", url: "", path: "wcxb-dev/html/4398.html.gz" },
  { kind: "Wikipedia article", url: "", path: "code-fixtures/general--wikipedia.html" },
];

/** The inner HTML of all `div`s whose class matches, with what is nested in them. */
function findBlocks(html: string, className: RegExp): string[] {
  const tags = [...html.matchAll(/<div\b[^>]*>|<\/div>/g)];
  return tags.flatMap((tag, index) => {
    if (!className.test(/class="([^"]*)"/.exec(tag[0])?.[1] ?? "")) return [];
    return [html.slice(tag.index + tag[0].length, findEnd(tags.slice(index)))];
  });
}

/** Where the first `div` of these tags ends. */
function findEnd(tags: readonly RegExpExecArray[]): number | undefined {
  let depth = 0;
  for (const tag of tags) {
    depth += tag[0] === "</div>" ? -1 : 1;
    if (depth === 0) return tag.index;
  }
  return undefined;
}

const titleOf = (html: string): string => (/<title>([^<]*)/.exec(html)?.[1] ?? "").trim();

function rebuildQuestion(html: string, id: string, site: string): Answers {
  const query = `site=${site}&filter=withbody&pagesize=100`;
  const owner = { display_name: "someone" };
  const [asked = "", ...answered] = findBlocks(html, /\bjs-post-body\b/);
  const comments = [...html.matchAll(/class="[^"]*\bcomment-copy\b[^"]*"[^>]*>([\s\S]*?)<\/span>/g)];
  const answers = answered.map((body, index) => ({ answer_id: index + 1, body, score: index, owner }));
  const ids = [id, ...answers.map(({ answer_id }) => answer_id)].join(";");
  return {
    [`/questions/${id}?${query}`]: { items: [{ title: titleOf(html), body: asked, score: 1, owner }] },
    [`/questions/${id}/answers?order=desc&sort=votes&${query}`]: { items: answers },
    [`/posts/${ids}/comments?order=asc&sort=creation&${query}`]: {
      items: comments.map(([, body]) => ({ post_id: answers[0]?.answer_id ?? id, body, owner })),
    },
  };
}

function rebuildIssue(html: string): Answers {
  const [body = "", ...comments] = findBlocks(html, /\bmarkdown-body\b/);
  const path = "/repos/delta/weir/issues/56";
  return {
    [path]: { number: 56, title: titleOf(html), body, comments: comments.length },
    [`${path}/comments?per_page=100&page=1`]: comments.map((each) => ({ user: { login: "someone" }, body: each })),
  };
}

function rebuildGist(html: string): Answers {
  const file = /<article[^>]*markdown-body[^>]*>([\s\S]*?)<\/article>/.exec(html)?.[1] ?? "";
  const comments = [...html.matchAll(/<td[^>]*js-comment-body[^>]*>([\s\S]*?)<\/td>/g)].map(([, body]) => body ?? "");
  const blocks = comments.length > 0 ? comments : findBlocks(html, /\bjs-comment-body\b/);
  return {
    "/gists/aa11": {
      description: titleOf(html),
      files: { a: { filename: "a.md", content: file } },
      comments: blocks.length,
    },
    "/gists/aa11/comments?per_page=100": blocks.map((body) => ({ user: { login: "someone" }, body })),
  };
}

function rebuildReddit(html: string, id: string): Answers {
  const bodies = findBlocks(html, /^md$/);
  const wrap = (...things: object[]) => ({ data: { children: things.map((data) => ({ data })) } });
  return {
    [`/comments/${id}.json?raw_json=1&limit=200`]: [
      wrap({ title: titleOf(html), selftext: "", subreddit_name_prefixed: "r/science" }),
      wrap(...bodies.map((body) => ({ author: "someone", body, score: 1, replies: "" }))),
    ],
  };
}
