import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readMarkup } from "../../detect/text/markup.ts";
import { handlerContract, keep, run, segmentsOf } from "../handler.contract.ts";
import { feed } from "./feed-handler.ts";
import { FeedText } from "./feed-text.ts";

const rss = `<?xml version="1.0"?><rss version="2.0" xmlns:content="c"><channel><title>Weir news</title>
<link>https://weir.example/</link><description>About gates</description>
<item><title>Gate &amp; oil</title><link>https://weir.example/1</link><pubDate>Mon, 02 Mar 2026</pubDate>
<description>Short</description><content:encoded><![CDATA[<p>It was <b>dry</b>.</p><script>steal()</script>]]></content:encoded></item>
<item><title>Second</title><guid>urn:2</guid><description>&lt;p&gt;Escaped &lt;i&gt;HTML&lt;/i&gt;&lt;/p&gt;</description></item>
</channel></rss>`;

const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Weir</title><link rel="self" href="https://weir.example/feed"/>
<link href="https://weir.example/"/><entry><title>First</title><link rel="alternate" href="https://weir.example/1"/>
<author><name>Ada</name></author><updated>2026-03-02T00:00:00Z</updated><content type="html">&lt;p&gt;Words&lt;/p&gt;</content></entry></feed>`;

const sitemap = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://weir.example/a</loc><image:image><image:loc>https://weir.example/i.png</image:loc></image:image><lastmod>2026-03-02</lastmod></url><url><loc>https://weir.example/b?x=1&amp;y=2</loc></url></urlset>`;

const asFeed = (mediaType: string, source: string) =>
  ({ kind: "text", mediaType, bytes: Buffer.from(source) }) as const;

handlerContract(feed, [
  { name: "an RSS feed", ...asFeed("application/rss+xml", rss) },
  { name: "a feed that is cut", ...asFeed("application/rss+xml", rss.slice(0, 420)) },
  { name: "an Atom feed", ...asFeed("application/atom+xml", atom) },
  { name: "a sitemap", ...asFeed("application/sitemap+xml", sitemap) },
  { name: "an empty feed", ...asFeed("application/rss+xml", "<rss/>") },
]);

function read(source: string, chunkChars = source.length): string {
  const text = new FeedText();
  let read = "";
  for (let at = 0; at < source.length; at += chunkChars) read += text.write(source.slice(at, at + chunkChars));
  return read + text.end();
}

describe("a feed", () => {
  test("in RSS is its title and an entry for each item, the longest form of each", () => {
    assert.equal(
      read(rss),
      "# Weir news\n\nAbout gates\n\nhttps://weir.example/\n\n" +
        "## Gate & oil\n\nhttps://weir.example/1 | Mon, 02 Mar 2026\n\nIt was **dry**.\n\n" +
        "## Second\n\nurn:2\n\nEscaped *HTML*\n\n",
    );
  });

  test("in Atom links to its pages, not to itself", () => {
    assert.equal(
      read(atom),
      "# Weir\n\nhttps://weir.example/\n\n## First\n\nhttps://weir.example/1 | 2026-03-02T00:00:00Z | Ada\n\nWords\n\n",
    );
  });

  test("takes only its own parts, not those of pictures, of other namespaces or of a source", () => {
    const source = `<rss xmlns:media="m" xmlns:itunes="i"><channel><title>Show</title><image><url>https://a.example/i.png</url><title>Pic</title></image>
<item><title>Post</title><itunes:title>Other</itunes:title><media:group><media:title>Pic</media:title></media:group><description>Hi</description><media:description>No</media:description></item></channel></rss>`;
    assert.equal(read(source), "# Show\n\n## Post\n\nHi\n\n");
    const xhtml = `<feed><title>F</title><entry><title>E</title><source><title>S</title></source><content type="xhtml"><div><p>Words <b>inside</b></p></div></content></entry></feed>`;
    assert.equal(read(xhtml), "# F\n\n## E\n\nWords inside\n\n");
  });

  test("is read alike, however its bytes arrive", () => {
    for (const source of [rss, atom, sitemap])
      for (const chunkChars of [1, 7, 64]) assert.equal(read(source, chunkChars), read(source));
  });

  test("that nests without end stops with what it has", () => {
    assert.match(read(`<rss><channel><item><title>One</title></item>${"<a>".repeat(5_000)}`), /## One/);
  });
});

test("a sitemap is a list of addresses", () => {
  assert.equal(read(sitemap), "- https://weir.example/a (2026-03-02)\n- https://weir.example/b?x=1&y=2\n");
});

test("feeds and sitemaps are recognised by their root", () => {
  const types = [rss, atom, sitemap].map((source) => readMarkup(source)?.mediaType);
  assert.deepEqual(types, ["application/rss+xml", "application/atom+xml", "application/sitemap+xml"]);
});

test("XML with the root of a feed and no entry is shown as it is", async () => {
  const source = `<feed>${"<ship id='1'>Heron</ship>".repeat(6_000)}</feed>`;
  await using kept = await keep(asFeed("application/atom+xml", source));
  const items = await run(feed, kept.file);
  const texts = segmentsOf(items).map((segment) => segment.text);
  assert.equal(texts.join(""), source);
  const rest = segmentsOf(await run(feed, kept.file, 1));
  assert.equal(rest.map((segment) => segment.text).join(""), texts.slice(1).join(""));
});
