/** Tokens of the reply to an address of a known site, beside the page or the answers that it is made from. */
import tokenizer from "llama3-tokenizer-js";
import { writeWholePage } from "../src/extract/html/page.ts";
import { startServer } from "../test/server.ts";
import { type Answers, openSite } from "../test/site-server.ts";
import { openTools } from "../test/tools.ts";
import { addressKinds } from "./address-answers.ts";
import { type RecordedPage, readRecorded, recordedPages } from "./recorded-pages.ts";

export const about = "tokens of replies to addresses of code hosts, registries and forums";

/** Nothing is cut, so that whole texts are compared. */
const whole = { maxChars: 1_000_000 };
const folder = `${process.env.SPILLWAY_CORPUS ?? "../shared/corpus"}/html`;

const countTokens = (text: string): number => tokenizer.encode(text, { bos: false, eos: false }).length;
const percent = (part: number, all: number): string => `${((100 * part) / all).toFixed(1)} %`;

export async function run(): Promise<void> {
  console.log("Answers in the documented form of each API, with words of ours; the reply is the whole text.\n");
  console.log("| address | tokens of the API's answers | tokens of the reply | share |\n|---|--:|--:|--:|");
  for (const { kind, site, url, answers } of addressKinds) {
    await using server = await openSite(site, answers);
    const reply = countTokens((await server.fetch(url, {}, whole)).text);
    const sent = countAnswers(answers, server.server.requests);
    console.log(`| ${kind} | ${sent} | ${reply} | ${percent(reply, sent)} |`);
  }
  await compareRecorded();
}

/** What was sent, each answer as often as it was asked for. */
function countAnswers(answers: Answers, requests: readonly { readonly url?: string | undefined }[]): number {
  const texts = requests.map(({ url = "" }) => answers[url] ?? answers[`${url} application/vnd.github.diff`] ?? "");
  return texts.reduce<number>(
    (sum, each) => sum + countTokens(typeof each === "string" ? each : JSON.stringify(each)),
    0,
  );
}

async function compareRecorded(): Promise<void> {
  console.log("\nRecorded pages; the API's answers are rebuilt from the words of the page.\n");
  console.log("| page | tokens of the page | read as a page | through the API | share |\n|---|--:|--:|--:|--:|");
  for (const page of recordedPages) {
    const html = readRecorded(folder, page);
    if (html === undefined) {
      console.log(`${page.kind}: ${page.path} is missing from the corpus.`);
      continue;
    }
    const raw = countTokens(html);
    const [asPage, asAnswer] = [await readAsPage(html), await readThroughApi(page, html)];
    const best = asAnswer ?? asPage;
    console.log(`| ${page.kind} | ${raw} | ${asPage} | ${asAnswer ?? "-"} | ${percent(best, raw)} |`);
  }
}

async function readAsPage(html: string): Promise<number> {
  await using server = await startServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
  });
  await using tools = await openTools({ "network.allow": [server.allow] });
  return countTokens((await tools.call("fetch_content", { url: `${server.origin}/page`, ...whole })).text);
}

/** Sites that answer in Markdown do so here too. */
async function readThroughApi({ site, url, rebuild }: RecordedPage, html: string): Promise<number | undefined> {
  if (site === undefined || rebuild === undefined) return undefined;
  const answers = rebuild(html);
  const isHtml = site === "stackexchange";
  await using server = await openSite(site, isHtml ? answers : toMarkdown(answers));
  return countTokens((await server.fetch(url, {}, whole)).text);
}

/** Every text with tags, as the Markdown that its author wrote. */
function toMarkdown(answers: Answers): Answers {
  return JSON.parse(JSON.stringify(answers), (_, value) =>
    typeof value === "string" && /<\w/.test(value) ? writeWholePage(value, { mode: "markdown" }).text : value,
  );
}
