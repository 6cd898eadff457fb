/** Pages of registries and forums, read through a local server that answers in the form of their API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openHttpClient } from "../src/acquire/http/lazy-client.ts";
import { systemDialler } from "../src/acquire/http/transport/guarded-connect.ts";
import { makePdfWithPages } from "./pdf.ts";
import { openSite } from "./site-server.ts";

const when = "2026-03-04T05:06:07Z";

describe("package registries", () => {
  test("npm: facts, dependencies and the README", async () => {
    await using site = await openSite("npm", {
      "/@delta%2fweir": {
        "dist-tags": { latest: "2.0.0" },
        time: { "2.0.0": when },
        versions: {
          "1.0.0": {},
          "2.0.0": { description: "Opens weirs.", license: "MIT", dependencies: { gate: "^1" } },
        },
        readme: "# Weir\n\nRaise it.",
      },
    });
    const { content } = await site.fetch("https://www.npmjs.com/package/@delta/weir");
    assert.match(
      content,
      /^# @delta\/weir 2\.0\.0\n\nOpens weirs\.\n[\s\S]*- dependencies: gate \^1\n\n# Weir\n\nRaise it\.\n$/,
    );
  });

  test("npm: a package whose record is too long comes without README, and the reply says so", async () => {
    const manifest = { version: "2.0.0", description: "Opens weirs.", license: "MIT", repository: "github:delta/weir" };
    await using site = await openSite("npm", {
      "/weir": { versions: { "2.0.0": { description: "x".repeat(25 * 1024 * 1024) } } },
      "/weir/latest": manifest,
    });
    const { content, text } = await site.fetch("https://www.npmjs.com/package/weir");
    assert.equal(content, "# weir 2.0.0\n\nOpens weirs.\n\n- licence: MIT\n- repository: github:delta/weir\n");
    assert.match(text, /The README and the other versions are missing: the registry's record of them is too long/);
  });

  test("PyPI and crates.io: facts and the description", async () => {
    await using python = await openSite("pypi", {
      "/pypi/weir/json": { info: { name: "weir", version: "2.0", summary: "Opens weirs.", description: "Raise it." } },
    });
    assert.match((await python.fetch("https://pypi.org/project/weir/")).content, /^# weir 2\.0\n[\s\S]*Raise it\.\n$/);
    await using rust = await openSite("crates", {
      "/api/v1/crates/weir": {
        crate: { description: "Opens weirs.", max_stable_version: "2.0.0", downloads: 9 },
        versions: [{ num: "2.0.0", license: "MIT", features: { gate: [] } }],
      },
      "/api/v1/crates/weir/2.0.0/readme": "<h1>Weir</h1><p>Raise <em>it</em>.</p>",
    });
    for (const url of ["https://crates.io/crates/weir", "https://docs.rs/crate/weir/latest"])
      assert.match(
        (await rust.fetch(url)).content,
        /^# weir 2\.0\.0\n[\s\S]*- features: gate\n[\s\S]*Raise [_*]it[_*]\.\n$/,
      );
  });

  test("arXiv: an abstract's address gives the paper, as a page or as a PDF", async () => {
    await using site = await openSite("arxiv", {
      "/html/2601.00001":
        "<!doctype html><title>Weirs</title><main><h1>Weirs</h1><p>A long study of weirs and gates.</p></main>",
      "/pdf/2601.00002v2": makePdfWithPages(["A study of gates"]),
    });
    assert.match((await site.fetch("https://arxiv.org/abs/2601.00001")).content, /A long study of weirs/);
    const paper = await site.fetch("https://arxiv.org/abs/2601.00002v2");
    assert.deepEqual([paper.fields.content_kind, paper.content], ["pdf", "A study of gates"]);
  });
});

describe("forums", () => {
  test("Hacker News: the post, then the comments as a tree", async () => {
    const deep = { author: "cy", text: "Yes.", children: [] };
    const first = {
      author: "bo",
      created_at: when,
      text: "<p>Is it <i>dry</i>?",
      children: [deep, { author: null, children: [] }],
    };
    await using site = await openSite("hackernews", {
      "/items/42": { title: "A weir", url: "https://example.com/weir", author: "ada", points: 5, children: [first] },
    });
    const { content } = await site.fetch("https://news.ycombinator.com/item?id=42");
    assert.match(content, /^# A weir\n\n- link: https:\/\/example\.com\/weir\n- points: 5\n- author: ada\n/);
    assert.match(content, /### bo \(2026-03-04\)\n\nIs it [_*]dry[_*]\?\n\n- \*\*cy\*\*: Yes\.\n$/);
  });

  test("Reddit: the post, scores once, replies with their depth, and how many are missing", async () => {
    const wrap = (...things: object[]) => ({ data: { children: things.map((data) => ({ data })) } });
    const reply = { author: "cy", body: "Yes.", score: 2, replies: "" };
    const comment = { author: "bo", body: "Is it dry?", score: 3, replies: wrap(reply, { count: 4 }) };
    await using site = await openSite("reddit", {
      "/comments/ab1.json?raw_json=1&limit=200": [
        wrap({
          title: "A weir",
          author: "ada",
          selftext: "Mine sticks.",
          score: 9,
          subreddit_name_prefixed: "r/water",
          is_self: true,
        }),
        wrap(comment),
      ],
    });
    const { content } = await site.fetch("https://old.reddit.com/r/water/comments/ab1/a_weir/");
    assert.match(
      content,
      /^# A weir\n[\s\S]*Mine sticks\.\n\n## Comments\n\n### bo \(3 points\)\n\nIs it dry\?\n\n- \*\*cy \(2 points\)\*\*: Yes\.\n/,
    );
    assert.match(content, /4 more replies are not shown here\.\n$/);
  });

  test("Stack Exchange: the question, then the answers by votes with their comments", async () => {
    const query = "site=unix&filter=withbody&pagesize=100";
    await using site = await openSite("stackexchange", {
      [`/questions/7?${query}`]: {
        items: [
          {
            title: "Why &quot;dry&quot;?",
            body: "<p>It <code>sticks</code>.</p>",
            score: 3,
            owner: { display_name: "ada" },
            answer_count: 1,
          },
        ],
      },
      [`/questions/7/answers?order=desc&sort=votes&${query}`]: {
        items: [{ answer_id: 8, body: "<p>Oil it.</p>", score: 5, is_accepted: true, owner: { display_name: "bo" } }],
      },
      [`/posts/7;8/comments?order=asc&sort=creation&${query}`]: {
        items: [
          { post_id: 8, body: "Linseed?", owner: { display_name: "cy" } },
          { post_id: 7, body: "Since when?", owner: { display_name: "bo" } },
        ],
      },
    });
    const { content } = await site.fetch("https://unix.stackexchange.com/questions/7/why-dry");
    assert.match(
      content,
      /^# Why "dry"\?\n[\s\S]*It `sticks`\.\n\nComments on the question:\n\n- \*\*bo\*\*: Since when\?\n\n## Answers\n\n### bo \(accepted, score 5\)\n\nOil it\.\n\n- \*\*cy\*\*: Linseed\?\n$/,
    );
  });
});

describe("where the API does not help", () => {
  const page = "<!doctype html><title>A page</title><main><h1>A page</h1><p>Read as a page, in words.</p></main>";

  test("the page itself is read, and the reply says why", async () => {
    await using site = await openSite("gitlab", {
      "/delta/weir/-/issues/4": page,
      "/projects/delta%2Fweir/issues/4": 429,
      "/delta/weir/-/issues/5": page,
      "/projects/delta%2Fweir/issues/5": "{ not JSON",
      "/delta/weir/-/pipelines": page,
    });
    const limited = await site.fetch(`${site.server.origin}/delta/weir/-/issues/4`);
    assert.match(limited.content, /Read as a page/);
    assert.match(limited.text, /The API of gitlab was not used: .*429.* A token in GITLAB_TOKEN raises its limits\./);
    const malformed = await site.fetch(`${site.server.origin}/delta/weir/-/issues/5`);
    assert.match(malformed.text, /The API of gitlab was not used: its answer has another form than expected\./);
    const other = await site.fetch(`${site.server.origin}/delta/weir/-/pipelines`);
    assert.ok(other.content.includes("Read as a page") && !other.text.includes("The API of"));
  });

  test("mode raw and the setting read the page", async () => {
    await using site = await openSite("gitlab", { "/delta/water/weir": page });
    const url = `${site.server.origin}/delta/water/weir`;
    const raw = await site.call("fetch_content", { url, mode: "raw" });
    assert.equal(raw.fields.content, page);
    const settings = { ...site.session.settings, "sites.api": "off" as const };
    const plain = await site.call("fetch_content", { url, noCache: true }, { settings });
    assert.match(String(plain.fields.content), /Read as a page/);
  });

  test("a redirect of the API and an API at a private address stay behind the guard", async () => {
    await using site = await openSite("github", {});
    const settings = { ...site.session.settings, "network.allow": [] };
    const network = openHttpClient({
      settings,
      env: {},
      dialler: { ...systemDialler, resolve: async () => ["10.0.0.1"], dial: refuse },
    });
    const { text, isError } = await site.call(
      "fetch_content",
      { url: "https://github.com/delta/weir" },
      { network, settings },
    );
    assert.equal(isError, true);
    assert.match(text, /private|not allowed|refused/i);
    assert.equal(site.server.requests.length, 0);
  });

  test("a bad line in the setting is named", async () => {
    await using site = await openSite("github", {});
    const settings = { ...site.session.settings, "sites.addresses": ["nowhere=ftp://x"] };
    const { text } = await site.call("fetch_content", { url: "https://github.com/delta/weir" }, { settings });
    assert.match(text, /sites\.addresses has a line that is not name=address/);
  });
});

async function refuse(): Promise<never> {
  throw new Error("nothing may be dialled");
}
