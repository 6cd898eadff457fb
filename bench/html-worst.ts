/** Measures the cost of one worst case in its own process. */
import { extractHtml } from "../src/extract/html/page.ts";
import { worstCases } from "../test/html-worst.ts";

const html = worstCases[process.argv[2] ?? ""]?.() ?? "";
const before = process.cpuUsage();
const { text, method } = extractHtml(html, { url: "https://example.com/", mode: "markdown" });
const { user, system } = process.cpuUsage(before);
const rssMb = process.resourceUsage().maxRSS / 1024;
const cells = {
  "source MB": (html.length / 1e6).toFixed(1),
  "CPU s": ((user + system) / 1e6).toFixed(2),
  "peak MB": Math.round(rssMb),
  "output chars": text.length,
  method,
};
console.log(JSON.stringify(cells));
