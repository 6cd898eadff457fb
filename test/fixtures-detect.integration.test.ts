/** Files whose kind is easily mistaken, under true and false claims, through the whole flow. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { defaultSettings, detectSource, openSession } from "../src/index.ts";
import { assertGolden, fetchFixture, fixturesFolder } from "./fixtures.ts";
import { detectFiles } from "./fixtures-detect.ts";

/** Claims about a file and the verdict on them. */
type Row = {
  readonly file: string;
  readonly why: string;
  /** What the source is called; an empty name claims nothing. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly kind?: string;
  readonly media_type?: string;
  readonly charset?: string | null;
  readonly decided_by?: string;
  /** The kind that would be right, where today's verdict is a known defect. */
  readonly wanted?: string;
};

const folder = join(fixturesFolder, "detect");
const golden = join(folder, "expected.jsonl");
const rows: readonly Row[] = readFileSync(golden, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const names = readdirSync(folder).filter((name) => name !== "expected.jsonl");

const toLines = (all: readonly Row[]): string => all.map((row) => `${JSON.stringify(row)}\n`).join("");

async function detectRow({ file, why, url, headers, wanted }: Row): Promise<Row> {
  await using session = await openSession({ inMemory: true, settings: defaultSettings, cwd: folder });
  const { kind, mediaType, charset, decidedBy } = await detectSource(file, { url, headers }, session);
  const verdict = { file, why, url, headers, kind, media_type: mediaType, charset, decided_by: decidedBy };
  return wanted === undefined ? verdict : { ...verdict, wanted };
}

describe("detection", () => {
  test("gives the golden verdict on every file and claim", async () => {
    assertGolden(golden, toLines(await Promise.all(rows.map(detectRow))));
  });

  test("every file is listed under its own name, and every listed file exists", () => {
    const named = rows.filter(({ file, url }) => file === url).map(({ file }) => file);
    assert.deepEqual(named.toSorted(), names.toSorted());
    assert.deepEqual(
      rows.filter(({ file }) => !names.includes(file)),
      [],
    );
  });

  test("the files are those that the script makes", () => {
    const isCompressed = (bytes: Uint8Array): boolean =>
      /PK\x03\x04|^\x1f\x8b/.test(Buffer.from(bytes).toString("latin1"));
    assert.deepEqual(Object.keys(detectFiles).sort(), names.toSorted());
    for (const [name, bytes] of Object.entries(detectFiles).filter(([, bytes]) => !isCompressed(bytes)))
      assert.ok(readFileSync(join(folder, name)).equals(bytes), `${name}: run node test/fixtures-detect.ts`);
  });

  test("a known defect that was fixed has to be removed from the list", () => {
    assert.deepEqual(
      rows.filter(({ kind, wanted }) => kind === wanted),
      [],
    );
    assert.ok(rows.filter(({ wanted }) => wanted !== undefined).length <= 2);
  });

  for (const { file, kind } of rows.filter(({ file, url }) => file === url)) {
    test(`fetching ${file} gives ${kind}, and no text of a binary`, async () => {
      const { fields, content } = await fetchFixture(folder, file);
      assert.equal(fields.content_kind, kind);
      if (kind === "unknown_binary") assert.equal(content, null);
      if (kind === "archive" && content !== null) assert.match(content, /^([ -~]+ \([ -~]+\)\n)+$/, "a listing");
    });
  }
});
