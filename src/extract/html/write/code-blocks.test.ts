import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;
const fence = (code: string, language = ""): string => `\`\`\`${language}\n${code}\n\`\`\``;
const line = (number: string, rest: string): string => `<span class="line"><span>${number}</span>${rest}</span>\n`;

const rust = "let lamp = Lamp::new();\nlamp.light();";
const runLink = `<a href="https://play.example/?edition=2021&amp;code=fn+main()+%7B%0A${encodeURIComponent(rust)}%0A%7D">Run</a>`;

const blocks: readonly { name: string; html: string; markdown: string }[] = [
  {
    name: "a number at the start of code",
    html: '<pre><code class="hljs"><span class="hljs-number">1</span> + x</code></pre>',
    markdown: fence("1 + x"),
  },
  {
    name: "numbers at the start of every line of data",
    html: `<pre><code>${line("1", ",ann")}${line("2", ",bob")}${line("3", "<span>,cid</span>")}</code></pre>`,
    markdown: fence("1,ann\n2,bob\n3,cid"),
  },
  {
    name: "a short listing in a numbered list",
    html: '<pre class="prettyprint linenums"><ol class="linenums"><li class="L0"><code>int a;</code></li><li class="L1"><code>int b;</code></li></ol></pre>',
    markdown: fence("int a;\nint b;"),
  },
  {
    name: "the language of code beside a gutter",
    html: '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre><code class="language-py">a\nb</code></pre></td></tr></table>',
    markdown: fence("a\nb", "py"),
  },
  ...["div", "span"].map((tag) => ({
    name: `lines that are a ${tag}, one of them without text`,
    html: `<pre>${["a", "", "b"].map((text) => `<${tag} class="line">${text}</${tag}>`).join("")}</pre>`,
    markdown: fence("a\n\nb"),
  })),
  {
    name: "lines without text that end with a newline too",
    html: '<pre><span class="line">a</span>\n<span class="line"></span>\n<span class="line">b</span></pre>',
    markdown: fence("a\n\nb"),
  },
  ...["span", "a"].map((tag) => ({
    name: `anchors before the text of lines that are a ${tag}`,
    html: `<pre>${["a", "  b", "", "c"].map((text, index) => `<${tag} class="line" id="L${index}"></${tag}>${text}\n`).join("")}</pre>`,
    markdown: fence("a\n  b\n\nc"),
  })),
  {
    name: "lines without text, in elements of their own",
    html: '<pre><div>a</div><div><span class="line"></span></div><div>b</div></pre>',
    markdown: fence("a\n\nb"),
  },
  {
    name: "a block with only a break between blocks",
    html: "<pre><div>a</div><div><br></div><div>b</div><div></div><div>c</div></pre>",
    markdown: fence("a\n\nb\nc"),
  },
  {
    name: "a link that runs the code, in it",
    html: `<pre><code>${rust}\n</code>${runLink}</pre>`,
    markdown: fence(rust),
  },
  {
    name: "a link that runs the code, after it",
    html: `<div><pre><code>${rust}</code></pre>${runLink}</div><p>b</p>`,
    markdown: `${fence(rust)}\n\nb`,
  },
  {
    name: "links to something else",
    html: `<pre>${rust} <a href="/?q=lamp">lamps</a></pre><p><a href="/?q=${"lamp".repeat(5)}">lamps</a></p>`,
    markdown: `${fence(`${rust} lamps`)}\n\n[lamps](/?q=${"lamp".repeat(5)})`,
  },
];

describe("a code block is written verbatim:", () => {
  for (const { name, html, markdown } of blocks) test(name, () => assert.equal(markdownOf(html), markdown));
});
