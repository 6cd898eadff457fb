import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;
const fence = (code: string, language = ""): string => `\`\`\`${language}\n${code}\n\`\`\``;
const line = (number: string, rest: string): string => `<span class="line"><span>${number}</span>${rest}</span>\n`;

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
];

describe("a code block is written verbatim:", () => {
  for (const { name, html, markdown } of blocks) test(name, () => assert.equal(markdownOf(html), markdown));
});
