import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openCli } from "./cli.ts";
import { startServer } from "./server.ts";

const paragraph = "The keeper of the lighthouse wrote down the weather of every day, and the ships that passed it. ";
const manual = `<!doctype html><html lang=en><head><title>Light manual</title><meta name=author content=Ada></head><body>
<nav><a href=/>Home</a> <a href=/all>All manuals</a></nav><main><h1>Light manual</h1><p>${paragraph.repeat(3)}</p>
<h2>Install</h2><p>${paragraph}</p><pre><code class="language-sh">light --on</code></pre>
<h2>Clean</h2><p>${paragraph} See <a href="parts.html">the parts</a>.</p></main><footer>Imprint</footer></body></html>`;

describe("an HTML page, end to end", () => {
  test("is answered with its main content, its facts and the method", async () => {
    await using cli = await openCli();
    await cli.write("manual.html", manual);
    const [fields] = await cli.json("fetch", "manual.html");
    assert.deepEqual(
      [fields.content_kind, fields.handler, fields.method, fields.needs_js],
      ["html", "html", "main", false],
    );
    assert.deepEqual([fields.title, fields.author, fields.language], ["Light manual", "Ada", "en"]);
    assert.ok(fields.kept_share > 0.8 && fields.kept_share < 1);
    assert.deepEqual(fields.warnings, []);
    assert.match(
      fields.content,
      /^# Light manual\n\nThe keeper[\s\S]*```sh\nlight --on\n```[\s\S]*\[the parts\]\(parts\.html\)\.$/,
    );
    assert.doesNotMatch(fields.content, /Home|Imprint/);
  });

  test("is read by section, by query, and in other modes", async () => {
    await using cli = await openCli();
    await cli.write("manual.html", manual);
    const [{ artifact_ref: ref }] = await cli.json("fetch", "manual.html");
    const [section] = await cli.json("read", ref, "--section", "install");
    assert.match(section.content, /^## Install\n\n[\s\S]*```sh\nlight --on\n```\s*$/);
    assert.equal(section.method, "main");
    const [text] = await cli.json("read", ref, "--section", "Clean", "--mode", "text");
    assert.match(text.content, /^Clean\n\nThe keeper[\s\S]*See the parts\.$/);
    const [raw] = await cli.json("read", ref, "--mode", "raw", "--max-chars", "1000");
    assert.equal(raw.content, manual.slice(0, 1_000));
    assert.equal(raw.method, "raw");
    const [passages] = await cli.json("read", ref, "--query", "light on");
    assert.match(passages.content, /light --on/);
  });

  test("names its address once, and writes links as asked", async () => {
    await using cli = await openCli();
    await using web = await startServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(manual);
    });
    const env = { SPILLWAY_NETWORK_ALLOW: web.allow };
    const fetchWith = (...options: string[]) => cli.run(["fetch", `${web.origin}/light/manual`, ...options], { env });
    const inline = await fetchWith();
    assert.match(inline.out, /See \[the parts\]\(parts\.html\)\./);
    assert.equal(inline.out.split(`Links are relative to ${web.origin}/light/manual\n`).length, 2);
    const numbered = await fetchWith("--links", "numbered");
    assert.match(numbered.out, /See \[the parts\]\[1\]\.\n\n## Links\n\n\[1\]: parts\.html/);
    const none = await fetchWith("--links", "none", "--max-chars", "400");
    assert.match(none.out, /Read on: spillway read af_\w+ --offset \d+ --links none/);
    const [, ref = "", offset = ""] = /read (af_\w+) --offset (\d+)/.exec(none.out) ?? [];
    const rest = await cli.run(["read", ref, "--offset", offset, "--links", "none"], { env });
    assert.match(rest.out, /See the parts\./);
    assert.doesNotMatch(rest.out, /Links are relative/);
    const wrong = await fetchWith("--links", "all");
    assert.equal(wrong.status, 2);
    assert.match(wrong.err, /There is no style of links "all"\.\n {2}Styles: inline, numbered, none\./);
  });

  test("keeps its ref and all its bytes", async () => {
    await using cli = await openCli();
    await cli.write("manual.html", manual);
    const [fields] = await cli.json("fetch", "manual.html");
    assert.equal((await cli.run(["cat", "--raw", fields.artifact_ref])).out, manual);
    const [whole] = await cli.json("cat", fields.artifact_ref);
    assert.deepEqual([whole.text, whole.method, whole.title], [fields.content, "main", "Light manual"]);
  });

  const charsets = [
    {
      name: "meta",
      bytes: Buffer.from('<meta charset="windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2', "latin1"),
      text: "Привет",
    },
    {
      name: "http-equiv",
      bytes: Buffer.from(
        '<meta http-equiv="Content-Type" content="text/html; charset=shift_jis"><p>\x93\xfa\x96{',
        "latin1",
      ),
      text: "日本",
    },
    { name: "a byte order mark", bytes: Buffer.from("\ufeff<!doctype html><p>Grüße", "utf16le"), text: "Grüße" },
    { name: "validity as UTF-8", bytes: Buffer.from("<!doctype html><p>Grüße"), text: "Grüße" },
    {
      name: "windows-1252 for the rest",
      bytes: Buffer.from("<!doctype html><html><body><p>Gr\xfc\xdfe \x96 caf\xe9</p></body></html>", "latin1"),
      text: "Grüße – café",
    },
  ];
  for (const { name, bytes, text } of charsets) {
    test(`is decoded by ${name}`, async () => {
      await using cli = await openCli();
      await cli.write("page.html", bytes);
      const [fields] = await cli.json("fetch", "page.html");
      assert.equal(fields.content, text);
    });
  }

  const fallbacks = [
    {
      html: '<div id=root></div><script src="app.js"></script>',
      warning: /builds its text with scripts/,
      needsJs: true,
    },
    {
      html: `<div id=root>Loading</div><noscript><p>${paragraph.repeat(5)}</p></noscript>`,
      warning: /browsers without scripts/,
      needsJs: false,
    },
    {
      html: `<p>x</p><script type="application/ld+json">${JSON.stringify({ "@type": "Article", articleBody: paragraph.repeat(5) })}</script>`,
      warning: /structured data/,
      needsJs: false,
    },
    { html: `<i>x</i>`.repeat(500_000), warning: /too large to be parsed/, needsJs: false },
  ];
  for (const { html, warning, needsJs } of fallbacks) {
    test(`that needed another strategy has a warning: ${warning.source}`, async () => {
      await using cli = await openCli();
      await cli.write("page.html", `<!doctype html><html><body>${html}</body></html>`);
      const [fields] = await cli.json("fetch", "page.html");
      assert.match(fields.warnings[0], warning);
      assert.equal(fields.needs_js, needsJs);
      const { out } = await cli.run(["fetch", "page.html"]);
      assert.match(out, warning);
    });
  }
});
