/** Which pages the site has, under which names, and how they are grouped. docs/README.md decides: it links to all of them. */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

export type SitePage = {
  /** The path in the repository. */
  readonly path: string;
  /** The name of the file in the site. */
  readonly file: string;
  readonly title: string;
  readonly markdown: string;
};

export type PageGroup = { readonly title: string; readonly pages: readonly SitePage[] };

/** Pages outside docs/ that people read. */
const otherPages: Readonly<Record<string, string>> = {
  "README.md": "overview.html",
  "CHANGELOG.md": "changes.html",
  "CONTRIBUTING.md": "contributing.html",
  "SECURITY.md": "reporting.html",
  "bench/README.md": "bench.html",
  "examples/README.md": "examples.html",
};

export async function listSitePages(): Promise<readonly SitePage[]> {
  const docs = (await Array.fromAsync(glob("docs/*.md", { cwd: root }))).sort();
  return Promise.all([...docs, ...Object.keys(otherPages)].map(readPage));
}

async function readPage(path: string): Promise<SitePage> {
  const markdown = await readFile(join(root, path), "utf8");
  const title = /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll("`", "") ?? path;
  const file = otherPages[path] ?? path.replace(/^docs\//, "").replace(/\.md$/, ".html");
  return { path, file: file === "README.html" ? "index.html" : file, title, markdown };
}

/** The groups of the navigation: the sections of docs/README.md with the pages that each links to first. */
export function groupPages(pages: readonly SitePage[]): readonly PageGroup[] {
  const index = pages.find(({ file }) => file === "index.html");
  if (index === undefined) throw new Error("docs/README.md is missing");
  const seen = new Set([index.path]);
  const sections = index.markdown.split(/^## /m).slice(1);
  const groups = sections.map((section) => {
    const [title = ""] = section.split("\n");
    const links = [...section.matchAll(/\]\(([^)#]+\.md)(?:#[^)]*)?\)/g)].map(([, link = ""]) => join("docs", link));
    const members = links.flatMap((link) =>
      pages.filter(({ path }) => path === link && !seen.has(path) && seen.add(path)),
    );
    return { title, pages: members };
  });
  return groups.filter((group) => group.pages.length > 0);
}
