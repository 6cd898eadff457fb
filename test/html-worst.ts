/** Pages made to hang a reader of HTML or exhaust its memory, by name. */
const sentence = "The quick brown fox jumps over the lazy dog, and then it runs away into the deep dark wood for good.";
const prose = (count: number): string => `<p>${sentence}</p>\n`.repeat(count);
/** The end of every page: what follows the hostile part must not be lost. */
export const lastWords = "and these were the last words that the keeper wrote into the book of the lighthouse";
const last = `<p>Then the light went out, ${lastWords}.</p>`;
const page = (hostile: string): string => `<!doctype html><body>${prose(30)}${hostile}\n${last}`;

const flight = (stream: string): string => `<script>self.__next_f.push([1,${JSON.stringify(stream)}])</script>`;

export const worstCases: Readonly<Record<string, () => string>> = {
  "20 MB of paragraphs": () => `<html><body><article>${prose(190_000)}${last}</article></body></html>`,
  "100,000 nested divs": () => `<body>${"<div>".repeat(100_000)}${prose(30)}${last}${"</div>".repeat(100_000)}`,
  "20,000 unclosed inline tags": () => page("<b>text ".repeat(20_000)),
  "20,000 unclosed paragraphs with links": () => page("<p><b><i><a href=x>text ".repeat(20_000)),
  "50,000 table rows": () => page(`<table><tr><th>a<th>b</tr>${"<tr><td>one<td>two two</tr>".repeat(50_000)}</table>`),
  "2 MB of blanks in a paragraph": () => page(`<p>a${" ".repeat(2_000_000)}b</p>`),
  "200,000 line breaks": () => page("line<br>".repeat(200_000)),
  "a million <": () => page("<".repeat(1_000_000)),
  "a 4 MB attribute": () =>
    page(`<img src="data:image/png;base64,${"A".repeat(4_000_000)}"><div class="${"nav-x ".repeat(66_000)}">x</div>`),
  "5,000 nested lists": () => page(`${"<ul><li>item".repeat(5_000)}${"</li></ul>".repeat(5_000)}`),
  "comments that never end": () => page(`${"<!--".repeat(200_000)}${"<!-- - -- ->".repeat(100_000)}`),
  "a comment around all": () => `<body><!-- ${prose(30)}${last}`,
  "CDATA that never ends": () => page(`${"<![CDATA[".repeat(200_000)} text after`),
  "CDATA around all": () => `<body><![CDATA[ ${prose(30)}${last}`,
  "a million elements": () => page("<i>x</i>".repeat(1_000_000)),
  "a million end tags": () =>
    `<body>${"<div>".repeat(499)}${prose(30)}${"</b></span></section>".repeat(400_000)}${last}`,
  "links across blocks": () => page("<a><div></a>".repeat(100_000)),
  "half a million entities": () => page("&amp;".repeat(500_000)),
  "100,000 links": () => page("<a href=/x>link</a> ".repeat(100_000)),
  "50,000 headings": () => page("<h2>Related articles</h2><p>x</p>".repeat(50_000)),
  "nested quotations": () => page("<blockquote>q".repeat(3_000)),
  "code in pieces": () => page(`<pre>${"<span>1</span>\n".repeat(100_000)}</pre>${"<code>x</code>".repeat(100_000)}`),
  "siblings of one name": () => page('<div class="more">x</div>'.repeat(100_000)),
  "siblings of every name": () =>
    page(Array.from({ length: 100_000 }, (_, index) => `<div class="more a${index}">x</div>`).join("")),
  "a heading of brackets": () => page(`<h2>${"![".repeat(500_000)}</h2>`),
  "streamed parts without end": () => page('<template id="B:1"></template><div hidden id="S:1">x</div>'.repeat(50_000)),
  "a script of pushes": () => page(`<script>self.__next_f.push([1,"a"])${".push([".repeat(500_000)}</script>`),
  "buttons to copy, nested": () => page(`<pre>${"<span class=copy>".repeat(400)}${"x<br>".repeat(300_000)}</pre>`),
  "nested code": () => page(`<div>${"<code>".repeat(480)}${"x<b></b>".repeat(180_000)}${"</code>".repeat(480)}`),
  "nested quotations of paragraphs": () =>
    page(`${"<blockquote>".repeat(480)}${"<p>x".repeat(150_000)}${"</blockquote>".repeat(480)}`),
  "empty elements far down": () => page(`${"<div>".repeat(480)}${"<i></i>".repeat(180_000)}${"</div>".repeat(480)}`),
  "one wide row": () => page(`<table><tr>${"<td>x".repeat(200)}</tr>${"<tr><td>x".repeat(28_000)}</table>`),
  "long numbers of items": () =>
    page(
      `${"<ol start=999999999999999999999><li>".repeat(12)}<pre>${"x\n".repeat(120_000)}</pre>${"</ol>".repeat(12)}`,
    ),
  "asides without end": () => page("<aside>a</aside>".repeat(60_000)),
  "hidden answers": () => page('<div><div class="faq" hidden>a</div></div>'.repeat(60_000)),
  "half a million brackets": () => page(`<p>${"[".repeat(500_000)}</p>`),
  "emphasis without gaps": () => page("<i>x</i>".repeat(150_000)),
  "powers of powers": () => page(`<p>${"x<sup>".repeat(480)}${"y<sub>1</sub>".repeat(150_000)}</p>`),
  "a formula far down": () =>
    page(
      `<math>${"<msup><mi>x</mi>".repeat(230)}<mrow>${"<mi>x</mi>".repeat(180_000)}</mrow>${"</msup>".repeat(230)}</math>`,
    ),
  "controls far down": () =>
    page(`${"<div>".repeat(480)}<h2>Filters</h2>${"<i></i>".repeat(180_000)}${"</div>".repeat(480)}`),
  "many frames": () => page('<iframe src="https://e.com/" title="A video"></iframe>'.repeat(60_000)),
  "tables by role, nested": () =>
    page(`${"<div role=table><p role=row>".repeat(240)}${"<b role=cell>x</b>".repeat(150_000)}${"</div>".repeat(240)}`),
  "streamed rows of text": () => `<body>${flight("1:T1,a".repeat(600_000))}${last}`,
  "streamed rows that nest": () =>
    `<body>${flight(`0:${'["$","p",null,{"children":'.repeat(100_000)}1${"}]".repeat(100_000)}\n${"2:[]\n".repeat(300_000)}`)}${last}`,
  "pushes that never end": () =>
    `<body><script>self.__next_f.push([1,"a${'.push([1,\\"'.repeat(300_000)}</script>${last}`,
  "nested data": () => page(`<script type="application/ld+json">${"[".repeat(4_000_000)}</script>`),
};
