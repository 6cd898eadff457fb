/** The web site of the docs: complete, without dead links, small, and usable in a real browser from a folder. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { glob, readdir, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { drawArchitecture } from "../scripts/architecture-picture.ts";
import { buildSite } from "../scripts/site/build-site.ts";
import { groupPages, listSitePages } from "../scripts/site/site-pages.ts";
import { makeTemporaryFolder } from "./bodies.ts";

const MAX_SITE_BYTES = 3 * 1024 * 1024;
const root = join(import.meta.dirname, "..");
const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => spawnSync(path, ["--version"]).status === 0,
);
const skip = program === undefined && "there is no Chromium";

let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>;
let pages: ReadonlyMap<string, string>;

before(async () => {
  folder = await makeTemporaryFolder();
  const files = await buildSite(folder.path);
  pages = new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(folder.path, file), "utf8")] as const)),
  );
});
after(() => folder[Symbol.asyncDispose]());

test("every page of docs/ is in the navigation", async () => {
  const all = await listSitePages();
  const listed = groupPages(all).flatMap((group) => group.pages.map(({ path }) => path));
  const docs = all.map(({ path }) => path).filter((path) => path.startsWith("docs/") && path !== "docs/README.md");
  assert.deepEqual(
    docs.filter((path) => !listed.includes(path)),
    [],
    "docs/README.md links to every page",
  );
});

test("every link and picture of the site leads to a file and to an id in it", async () => {
  const files = new Set(await Array.fromAsync(glob("**/*.*", { cwd: folder.path })));
  for (const [page, html] of pages)
    for (const [, , address = ""] of html.matchAll(/<(?:a|img|link|script)\b[^>]*?\s(href|src)="([^"]+)"/g)) {
      if (/^(?:https?:|mailto:|data:)/.test(address)) continue;
      const [file = "", id] = address.split("#");
      assert.ok(file === "" || files.has(file), `${page} links to ${address}`);
      const target = pages.get(file === "" ? page : file) ?? "";
      if (id !== undefined) assert.ok(target.includes(`id="${id}"`), `${page} links to ${address}`);
    }
});

test("the site loads nothing from elsewhere and is small", async () => {
  for (const [page, html] of pages) {
    assert.doesNotMatch(html, /<(?:img|script|link|iframe)\b[^>]*(?:src|href)="(?:https?:)?\/\//, page);
    assert.doesNotMatch(html, /<(?:style|iframe)\b| on[a-z]+="/, page);
  }
  const names = await readdir(folder.path, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder.path, name))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes < MAX_SITE_BYTES, `${bytes} bytes`);
});

test("the picture of the architecture is the one that the script draws", async () => {
  const committed = await readFile(join(root, "docs", "images", "architecture.svg"), "utf8");
  assert.ok(committed === drawArchitecture(), "node scripts/architecture-picture.ts draws it again.");
});

describe("in a browser, from a folder", { skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await chromium.launch({ executablePath: program ?? "", args: ["--no-sandbox"] });
  });
  after(() => browser.close());

  async function openPage(file: string, width: number, colorScheme: "light" | "dark") {
    const page = await browser.newPage({ viewport: { width, height: 844 }, colorScheme });
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on(
      "request",
      (request) => request.url().startsWith("file:") || request.url().startsWith("data:") || faults.push(request.url()),
    );
    await page.goto(pathToFileURL(join(folder.path, file)).href);
    return { page, faults };
  }

  for (const [width, scheme] of [
    [1_440, "light"],
    [390, "dark"],
  ] as const)
    test(`pages have no serious findings at ${width} pixels, ${scheme}`, async () => {
      const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
      for (const file of [
        "index.html",
        "overview.html",
        "recipes.html",
        "settings.html",
        "architecture.html",
        "api.html",
      ]) {
        const { page, faults } = await openPage(file, width, scheme);
        await page.evaluate(axe);
        const findings: { id: string; impact: string; nodes: { html: string }[] }[] = await page.evaluate(
          "axe.run().then(({ violations }) => violations)",
        );
        const serious = findings.filter(({ impact }) => ["serious", "critical"].includes(impact));
        assert.deepEqual(
          serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
          [],
          file,
        );
        const overflow = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
        assert.ok(Number(overflow) <= 0, `${file} is ${overflow} pixels too wide`);
        assert.deepEqual(faults, [], file);
        await page.close();
      }
    });

  test("the search finds a recipe, and Enter opens it", async () => {
    const { page, faults } = await openPage("index.html", 1_440, "light");
    await page.keyboard.press("/");
    await page.keyboard.type("floods the context");
    const first = page.locator("#results a").first();
    assert.equal(await first.textContent(), "Recipes: My MCP server floods the context");
    await page.keyboard.press("Enter");
    await page.waitForURL(/recipes\.html#my-mcp-server-floods-the-context$/);
    await page.locator("#query").fill("zzzz");
    assert.equal(await page.locator("#results").textContent(), "Nothing found.");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#results").isHidden(), true);
    assert.deepEqual(faults, []);
    await page.close();
  });
});
