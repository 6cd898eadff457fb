/**
 * Assembles the public part of the corpus from clones: `node bench/make-corpus.ts CLONES FOLDER`. CLONES holds
 * `<owner>/<name>` for every repository in corpus-files.json, with the named commit; nothing is downloaded here.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

type Origin = { readonly repository: string; readonly commit: string };
type DocumentSet = "pdf" | "office";
type Manifest = {
  readonly documents: readonly (Origin & { readonly [Set in DocumentSet]?: readonly string[] })[];
  /** Ids of labelled pages by the name of their set. */
  readonly pages: Origin & { readonly pages: Readonly<Record<string, readonly string[]>> };
  readonly codePages: Origin & { readonly names: readonly string[] };
};

const MAX_PATH_CHARS = 90;
const MAX_FILE_NAME_CHARS = 110;

const [clones, folder] = process.argv.slice(2);
if (clones === undefined || folder === undefined) {
  console.error("Usage: node bench/make-corpus.ts CLONES FOLDER");
  process.exit(2);
}
const manifest: Manifest = JSON.parse(
  readFileSync(fileURLToPath(new URL("./corpus-files.json", import.meta.url)), "utf8"),
);
requireClones([...manifest.documents, manifest.pages, manifest.codePages], clones);
writePages(manifest, clones, folder);
for (const set of ["pdf", "office"] as const) writeDocuments(set, manifest, clones, folder);

/** Names all that is missing before anything is written. */
function requireClones(origins: readonly Origin[], clonesFolder: string): void {
  const missing = origins.filter(({ repository }) => !existsSync(join(clonesFolder, repository)));
  if (missing.length === 0) return;
  console.error(`${missing.length} repositories are not in ${clonesFolder}. Clone them there:`);
  for (const { repository } of missing)
    console.error(`git clone https://github.com/${repository} ${join(clonesFolder, repository)}`);
  process.exit(1);
}

function writePages({ pages, codePages }: Manifest, clonesFolder: string, target: string): void {
  for (const [set, ids] of Object.entries(pages.pages)) {
    for (const id of ids) {
      for (const path of [`html/${id}.html.gz`, `ground-truth/${id}.json`])
        writeCopy(join(target, "html", set, path), readBlob(pages, `dev/${path}`, clonesFolder));
    }
  }
  for (const name of codePages.names) {
    const html = readBlob(codePages, `tests/fixtures/${name}.html`, clonesFolder);
    const markdown = readBlob(codePages, `tests/expected/${name}.md`, clonesFolder);
    writeCopy(join(target, "html", "code-fixtures", `${name}.html`), html);
    writeCopy(join(target, "html", "code-fixtures", `${name}.md`), markdown);
  }
}

/** The documents of a set and their list. The floors are pinned on the digest of the list. */
function writeDocuments(set: DocumentSet, { documents }: Manifest, clonesFolder: string, target: string): void {
  const rows = documents.flatMap((origin) =>
    (origin[set] ?? []).map((path) => {
      const bytes = readBlob(origin, path, clonesFolder);
      const flatPath = path.replace(/[/ ]/g, "_").slice(-MAX_PATH_CHARS);
      const name = `${origin.repository.replace("/", "-")}__${flatPath}`;
      const file = name.slice(-MAX_FILE_NAME_CHARS);
      writeCopy(join(target, set, file), bytes);
      return { name, row: [file, name, createHash("sha256").update(bytes).digest("hex"), bytes.length].join(",") };
    }),
  );
  rows.sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = ["file,origin,sha256,bytes", ...rows.map(({ row }) => row)];
  writeCopy(join(target, `${set}.csv`), Buffer.from(lines.map((line) => `${line}\r\n`).join("")));
  console.log(`${set}: ${rows.length} files`);
}

function readBlob({ repository, commit }: Origin, path: string, clonesFolder: string): Buffer {
  return execFileSync("git", ["-C", join(clonesFolder, repository), "cat-file", "blob", `${commit}:${path}`], {
    maxBuffer: 2 ** 28,
  });
}

function writeCopy(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}
