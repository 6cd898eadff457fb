import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;

const tables: readonly { name: string; html: string; markdown: string }[] = [
  {
    name: "cells that span rows",
    html: "<table><tr><th>A<th>B<th>C</tr><tr><td rowspan=2>1<td>2<td>3</tr><tr><td>4<td>5</tr></table>",
    markdown: "|A|B|C|\n|-|-|-|\n|1|2|3|\n||4|5|",
  },
  {
    name: "cells that span rows and columns at the end",
    html: "<table><tr><th>A<th>B<th>C</tr><tr><td>1<td rowspan=2 colspan=2>2</tr><tr><td>3</tr></table>",
    markdown: "|A|B|C|\n|-|-|-|\n|1|2||\n|3|||",
  },
  {
    name: "code and lists in cells",
    html: "<table><tr><th>A<th>B</tr><tr><td><pre>{\n  a | b\n}</pre><td>x<br>y<ul><li>one<li>two</ul></tr></table>",
    markdown: "|A|B|\n|-|-|\n|`{`<br>`  a \\| b`<br>`}`|x<br>y<br>one<br>two|",
  },
  {
    name: "a backslash at the end of a cell does not escape the bar",
    html: "<table><tr><th>Drive<th>B</tr><tr><td>C:\\<td>4</tr></table>",
    markdown: "|Drive|B|\n|-|-|\n|C:\\ |4|",
  },
  {
    name: "columns without text are left out",
    html: "<table><tr><th>A<th><th>B</tr><tr><td>1<td><td>2</tr><tr><td>3<td> <td></tr></table>",
    markdown: "|A|B|\n|-|-|\n|1|2|\n|3||",
  },
  {
    name: "strong headers are headers, strong values stay strong",
    html: "<table><tr><td><b>A</b><td><b>B</b></tr><tr><td><b>1</b><td><b>2</b></tr><tr><td><b>3</b><td>4</tr></table>",
    markdown: "|A|B|\n|-|-|\n|1|**2**|\n|3|4|",
  },
  {
    name: "strong cells that begin groups of rows stay strong",
    html: "<table><tr><th>A<th>B</tr><tr><td><b>Lamps</b><td></tr><tr><td>Brass<td>4</tr></table>",
    markdown: "|A|B|\n|-|-|\n|**Lamps**||\n|Brass|4|",
  },
  {
    name: "a table without text is nothing",
    html: "<p>x</p><table><tr><th> <th></tr><tr><td><td> </tr></table>",
    markdown: "x",
  },
  {
    name: "code below headers",
    html: "<table><tr><th>Old<th>New</tr><tr><td><pre>a</pre><td><pre>b</pre></tr></table>",
    markdown: "|Old|New|\n|-|-|\n|`a`|`b`|",
  },
];

describe("a data table keeps its cells in their columns:", () => {
  for (const { name, html, markdown } of tables) test(name, () => assert.equal(markdownOf(html), markdown));
});
