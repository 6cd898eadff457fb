import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertLinearTime } from "../../../test/cpu-time.ts";
import { fetchBytes, openTestClient } from "../../../test/http-client.ts";
import { startServer } from "../../../test/server.ts";
import { controlTimeouts } from "../../../test/timeouts.ts";
import { findMarkdownLink, MARKDOWN_LINK_PREFIX_BYTES } from "./markdown-link.ts";

const page = new URL("https://docs.example/guide/");
const md = 'rel="alternate" type="text/markdown"';

describe("the Markdown form of a page", () => {
  for (const { html = "", link = "", expected } of [
    { html: `<head><link ${md} href="index.md"></head>`, expected: "https://docs.example/guide/index.md" },
    {
      html: `<LINK HREF='/g.md?a=1&amp;b=2' TYPE='text/markdown; charset=utf-8' REL='alternate'/>`,
      expected: "https://docs.example/g.md?a=1&b=2",
    },
    { html: `<link rel=alternate type=text/markdown href=g.md>`, expected: "https://docs.example/guide/g.md" },
    { link: `</g.md>; rel="alternate"; type="text/markdown"`, expected: "https://docs.example/g.md" },
    {
      link: `</f.xml>; rel="alternate"; type="application/rss+xml", </g.md>; rel=alternate; type=text/markdown`,
      expected: "https://docs.example/g.md",
    },
    { html: `<link ${md} href="https://elsewhere.example/g.md">`, expected: undefined },
    { html: `<link ${md} href="http://docs.example/g.md">`, expected: undefined },
    { html: `<link ${md} href="#top">`, expected: undefined },
    { html: `<link ${md} href="https://u:p@docs.example/g.md">`, expected: undefined },
    { html: `<link rel="alternate" type="application/rss+xml" href="f.xml">`, expected: undefined },
    { html: `<link rel="stylesheet" type="text/markdown" href="g.md">`, expected: undefined },
    { html: `<!-- <link ${md} href="g.md"> -->`, expected: undefined },
    { html: `<head></head><body><link ${md} href="g.md">`, expected: undefined },
    { html: `<link ${md}>`, expected: undefined },
    { html: `<link rel="llms" href="/llms.txt">`, expected: "https://docs.example/guide.md" },
    { html: `<meta name="generator" content="Mintlify">`, expected: "https://docs.example/guide.md" },
    { html: `<meta name="generator" content="Hugo 0.1">`, expected: undefined },
    { html: `<head></head><body>Read llms.txt`, expected: undefined },
  ]) {
    test(`${html}${link} is ${expected ?? "none"}`, () => {
      assert.equal(findMarkdownLink(page, link, Buffer.from(html))?.href, expected);
    });
  }

  const filler = " ".repeat(9_000);
  for (const { name, html, expected } of [
    {
      name: "behind a long start",
      html: `<script>${filler}</script><link ${md} href="g.md">`,
      expected: "/guide/g.md",
    },
    {
      name: "behind a long comment",
      html: `<!-- <body> ${filler} --><link ${md} href="g.md">`,
      expected: "/guide/g.md",
    },
    { name: "in a long comment", html: `<!-- ${filler} <link ${md} href="g.md"> --></head>`, expected: undefined },
    { name: "behind a long head", html: `<i>${filler}</i></head><link ${md} href="g.md">`, expected: undefined },
  ]) {
    test(`a link ${name} is ${expected === undefined ? "not found" : "found"}`, () => {
      assert.equal(findMarkdownLink(page, "", Buffer.from(html))?.pathname, expected);
    });
  }

  for (const hostile of ["<link ", "<!--", "<link rel=", '<link rel="', "<", "<meta name=generator "]) {
    test(`is searched for in linear time in a page of ${hostile}`, () =>
      assertLinearTime(64 * 1024, (size) =>
        findMarkdownLink(page, "<".repeat(size), Buffer.from(hostile.repeat(size).slice(0, size))),
      ));
  }
});

describe("a page with a Markdown form", () => {
  const html = `<html><head><link ${md} href="/page.md"></head><body>${"page ".repeat(50_000)}</body></html>`;
  const site = (alternate: { status?: number; type?: string; body?: string | Buffer; location?: string }) =>
    startServer((request, response) => {
      if (request.url === "/page.md") {
        const { status = 200, type = "text/markdown", body = "# Page", location } = alternate;
        response.writeHead(status, { "content-type": type, ...(location ? { location } : {}) }).end(body);
      } else response.writeHead(200, { "content-type": "text/html", etag: '"page"' }).end(html);
    });

  test("is read in that form, and a note says so", async () => {
    await using server = await site({});
    await using client = openTestClient([server]);
    const { text, name, location, response } = await fetchBytes(client, server.origin);
    assert.deepEqual([text, name, location], ["# Page", "page.md", `${server.origin}/page.md`]);
    assert.deepEqual(response.notes, [`Read as Markdown from "${server.origin}/page.md".`]);
    assert.equal(response.freshness?.validators, null);
  });

  test("is read as HTML where its source is preferred", async () => {
    await using server = await site({});
    await using client = openTestClient([server]);
    assert.equal((await fetchBytes(client, server.origin, { prefers: "source" })).text, html);
    assert.equal(server.requests.length, 1);
  });

  for (const [name, alternate] of Object.entries({
    "is missing": { status: 404 },
    fails: { status: 500 },
    redirects: { status: 302, location: "/elsewhere.md" },
    "is a page again": { type: "text/html" },
    "is an image": { type: "image/png" },
    "is binary whatever it says": { body: Buffer.from([35, 0, 1, 2]) },
    "is empty": { body: "" },
  })) {
    test(`is read as HTML, completely, when that form ${name}`, async () => {
      await using server = await site(alternate);
      await using client = openTestClient([server]);
      const { text, response } = await fetchBytes(client, server.origin);
      assert.ok(text === html);
      assert.deepEqual([response.notes, response.freshness?.validators?.etag], [[], '"page"']);
      assert.equal(server.requests.length, 2);
    });
  }
});

describe("a page whose Markdown form is being requested", () => {
  const big = `<link rel="alternate" type="text/markdown" href="/zürich.md">${"<p>words</p>".repeat(40_000)}`;
  const site = () =>
    startServer((request, response) => {
      const isPage = request.url?.startsWith("/page") === true;
      response.writeHead(200, { "content-type": isPage ? "text/html" : "text/markdown" });
      response.end(isPage ? big : `# ${decodeURIComponent(request.url ?? "")}`);
    });

  test("does not block that request, however few connections there are", async () => {
    await using server = await site();
    const settings = { "network.connections_per_host": 1, "network.timeout": 60_000 };
    await using client = openTestClient([server], { settings });
    const all = Array.from({ length: 8 }, (_, i) => fetchBytes(client, `${server.origin}/page${i}`));
    for (const { text } of await Promise.all(all)) assert.equal(text, "# /zürich.md");
  });

  test("yields the part that has arrived when the deadline passes", async (t) => {
    const timeouts = controlTimeouts(t);
    await using server = await startServer((request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      if (request.url === "/page") response.write(big.slice(0, -1));
      // The head of the page has arrived: its link is being followed.
      else if (request.url?.endsWith(".md")) timeouts.expire(400);
    });
    await using client = openTestClient([server], { settings: { "network.timeout": 400, "network.tries": 1 } });
    const { bytes, response } = await fetchBytes(client, `${server.origin}/page`);
    assert.equal(response.shortfall()?.by, "timeout");
    assert.ok(bytes.length >= MARKDOWN_LINK_PREFIX_BYTES, `${bytes.length} bytes`);
    assert.ok(Buffer.from(big).subarray(0, bytes.length).equals(bytes));
  });
});
