/** The pages that HTML extraction is measured on: real pages with a labelled text, and pages with code blocks. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** A page with a human-labelled text. */
export type TruePage = {
  readonly id: string;
  readonly type: string;
  readonly url: string;
  readonly html: string;
  readonly truth: string;
};

/** A page with code, and its expected Markdown. */
export type CodePage = { readonly name: string; readonly html: string; readonly expected: string };

/** The folder from `SPILLWAY_CORPUS`, else the one beside the repository. */
export function findCorpusFolder(): string {
  const sibling = fileURLToPath(new URL("../../shared/corpus", import.meta.url));
  return join(process.env.SPILLWAY_CORPUS ?? sibling, "html");
}

/** The pages that the rules were tuned on, and pages that no rule was tuned on: look only at their mean score. */
export type PageSet = "wcxb-dev" | "wcxb-dev-2";

/** All pages of a set in the order of their ids; none if its folder is missing. */
export function readTruePages(folder = findCorpusFolder(), set: PageSet = "wcxb-dev"): readonly TruePage[] {
  return readLabelledPages(join(folder, set));
}

/** The folders in `SPILLWAY_HTML_UNSEEN`, by their last name: pages that were not looked at while tuning. */
export function findUnseenFolders(): ReadonlyMap<string, string> {
  const folders = (process.env.SPILLWAY_HTML_UNSEEN ?? "").split(delimiter).filter((folder) => folder !== "");
  return new Map(folders.map((folder) => [basename(folder), folder]));
}

/** The pages of a folder whose labels are one file for each page, or `ground-truth.json` for all, which are articles. */
export function readUnseenPages(folder: string): readonly TruePage[] {
  const labels = join(folder, "ground-truth.json");
  return existsSync(labels)
    ? readArticles(folder, JSON.parse(readFileSync(labels, "utf8")))
    : readLabelledPages(folder);
}

type ArticleLabels = Readonly<Record<string, { readonly articleBody: string; readonly url: string }>>;

function readArticles(folder: string, labels: ArticleLabels): readonly TruePage[] {
  return Object.entries(labels).map(([id, { articleBody, url }]) => ({
    id,
    type: "article",
    url,
    html: readPage(folder, id),
    truth: articleBody,
  }));
}

function readLabelledPages(setFolder: string): readonly TruePage[] {
  if (!existsSync(join(setFolder, "ground-truth"))) return [];
  return readdirSync(join(setFolder, "ground-truth"))
    .sort()
    .map((file) => readTruePage(setFolder, file.replace(/\.json$/, "")));
}

function readTruePage(setFolder: string, id: string): TruePage {
  const { url, ground_truth, _internal } = JSON.parse(
    readFileSync(join(setFolder, "ground-truth", `${id}.json`), "utf8"),
  );
  const html = readPage(setFolder, id);
  return { id, type: _internal.page_type.primary, url, html, truth: ground_truth.main_content ?? "" };
}

function readPage(setFolder: string, id: string): string {
  return gunzipSync(readFileSync(join(setFolder, "html", `${id}.html.gz`))).toString("utf8");
}

/** The pages with code. The fenced JSON at the head of an expected file is metadata and is removed. */
export function readCodePages(folder = findCorpusFolder()): readonly CodePage[] {
  const fixtures = join(folder, "code-fixtures");
  if (!existsSync(fixtures)) return [];
  const names = readdirSync(fixtures).filter((file) => file.endsWith(".md"));
  return names.sort().map((name) => ({
    name,
    html: readFileSync(join(fixtures, name.replace(/md$/, "html")), "utf8"),
    expected: readFileSync(join(fixtures, name), "utf8").replace(/^```json[\s\S]*?\n```\n/, ""),
  }));
}

/** Identifies a corpus. */
export function digestCorpus(pages: readonly TruePage[], codePages: readonly CodePage[]): string {
  const hash = createHash("sha256");
  for (const { id, type, truth, html } of pages) hash.update(JSON.stringify([id, type, truth, html]));
  for (const { name, expected, html } of codePages) hash.update(JSON.stringify([name, expected, html]));
  return hash.digest("hex");
}

/** Half of the sites of wcxb-dev-2, by a hash of their name: nobody looks at their pages, only at the mean score. */
export function isUnread({ url }: TruePage): boolean {
  const site = (URL.parse(url)?.hostname ?? url).replace(/^www\./, "");
  return (createHash("sha256").update(site).digest()[0] ?? 0) % 2 === 1;
}

/** A third of the pages, chosen by id: kept aside for the first rules only, in view while later rules were changed. */
export function wasTunedLater({ id }: TruePage): boolean {
  return (createHash("sha256").update(id).digest()[0] ?? 0) % 3 === 0;
}
