/** Every selector through the command line, MCP and the library: the same place has the same text. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fetchSource, openSession, type ReadOptions, readArtifact } from "../src/index.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { openCli } from "./cli.ts";
import { openMcp } from "./mcp.ts";
import { makeDocx, makeParagraph, makePptx, makeShape, makeXlsx } from "./office.ts";
import { encryptAgile } from "./office-encryption.ts";
import { makeParquet } from "./parquet.ts";
import { makeSqlite } from "./sqlite-file.ts";
import { makeTar } from "./tar.ts";
import { makeZip } from "./zip.ts";

const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
const csv = `id,name\n${numbers.map((id) => `${id},Ship ${id}`).join("\n")}\n`;
const inner = makeTar([{ name: "app/today.log", data: "engine failure" }]);
const mail = [
  "Subject: Plan\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee the plan.\r\n",
  "--b\r\nContent-Disposition: attachment; filename=plan.csv\r\nContent-Transfer-Encoding: base64\r\n\r\n",
  `${Buffer.from("lock,gate\n").toString("base64")}\r\n--b--\r\n`,
].join("");

const files: Readonly<Record<string, string | Buffer>> = {
  "text.md": "# Locks\n\nGates of oak.\n\n## Levels\n\nThe river rises at Aldmoor.\n",
  "deck.pptx": makePptx([{ shapes: makeShape(["First words"]) }, { shapes: makeShape(["Second words"]) }]),
  "book.xlsx": makeXlsx([
    { name: "Levels", rows: [["Aldmoor", 2]] },
    { name: "Ships", rows: [["Heron", 1]] },
  ]),
  "ships.csv": csv,
  "ships.parquet": makeParquet([
    { name: "id", values: numbers },
    { name: "name", values: numbers.map((id) => `Ship ${id}`) },
  ]),
  "ships.json": JSON.stringify({ items: numbers.map((id) => ({ id, name: `Ship ${id}` })) }),
  "ships.ndjson": numbers.map((id) => JSON.stringify({ id, name: `Ship ${id}` })).join("\n"),
  "ships.xml": `<fleet>${numbers.map((id) => `<ship id="${id}">Ship ${id}</ship>`).join("")}</fleet>`,
  "ships.yaml": `items:\n${numbers.map((id) => `  - name: Ship ${id}`).join("\n")}\n`,
  "ships.sqlite": await makeSqlite("CREATE TABLE ships (name TEXT); INSERT INTO ships VALUES ('Heron'), ('Tern')"),
  "outer.zip": makeZip([
    { name: "docs/readme.txt", data: "plain words" },
    { name: "inner.tar", data: inner },
  ]),
  "plan.eml": mail,
  "secret.docx": encryptAgile(makeDocx(makeParagraph("Secret words")), "oak", 1_000),
};

type Case = { readonly file: string; readonly selector: ReadOptions; readonly says: RegExp };

const cases: readonly Case[] = [
  { file: "text.md", selector: { offset: 9 }, says: /^Gates of oak/ },
  { file: "text.md", selector: { lines: "3" }, says: /^Gates of oak\.\s*$/ },
  { file: "text.md", selector: { section: "Levels" }, says: /^## Levels\n\nThe river/ },
  { file: "text.md", selector: { query: "where does the river rise" }, says: /rises at Aldmoor/ },
  { file: "deck.pptx", selector: { pages: "2" }, says: /^## Slide 2\n\nSecond words\s*$/ },
  { file: "book.xlsx", selector: { pages: "2" }, says: /^## Ships[\s\S]*Heron/ },
  { file: "book.xlsx", selector: { section: "Levels" }, says: /^## Levels[\s\S]*Aldmoor/ },
  { file: "ships.csv", selector: { rows: "150-151" }, says: /^150,Ship 150\n151,Ship 151\s*$/ },
  { file: "ships.parquet", selector: { rows: "150" }, says: /\n\| 150 \| Ship 150 \|\n$/ },
  { file: "ships.ndjson", selector: { rows: "150" }, says: /^\{"id":150,"name":"Ship 150"\}\s*$/ },
  { file: "ships.ndjson", selector: { path: "$[149].name" }, says: /^"Ship 150"$/ },
  { file: "ships.json", selector: { path: "$.items[149].name" }, says: /^"Ship 150"$/ },
  { file: "ships.xml", selector: { path: "$.fleet.ship[149].@id" }, says: /150/ },
  { file: "ships.yaml", selector: { path: "$.items[149].name" }, says: /^Ship 150\s*$/ },
  {
    file: "ships.sqlite",
    selector: { query: "SELECT name FROM ships ORDER BY name" },
    says: /\| Heron \|\n\| Tern \|/,
  },
  { file: "outer.zip", selector: { entry: "docs/readme.txt" }, says: /^plain words$/ },
  { file: "outer.zip", selector: { entry: "inner.tar!/app/today.log", lines: "1" }, says: /^engine failure\s*$/ },
  { file: "plan.eml", selector: { entry: "plan.csv" }, says: /^lock,gate/ },
  { file: "secret.docx", selector: { password: "oak" }, says: /^Secret words\s*$/ },
];

/** A way to read a file: writes it, fetches it, and reads a place of it. */
type Surface = (file: string, selector: ReadOptions) => Promise<string>;

const title = ({ file, selector }: Case): string => `${file} by ${JSON.stringify(selector)}`;

async function checkAll(read: Surface): Promise<void> {
  for (const one of cases) assert.match(await read(one.file, one.selector), one.says, title(one));
}

describe("every selector", { timeout: 600_000 }, () => {
  test("is in the table", () => {
    const names = new Set(cases.flatMap(({ selector }) => Object.keys(selector)));
    assert.deepEqual([...names].toSorted(), [
      ...["entry", "lines", "offset", "pages", "password", "path", "query", "rows", "section"],
    ]);
  });

  test("works in the library", async () => {
    await using folder = await makeTemporaryFolder();
    await using session = await openSession({ inMemory: true });
    await checkAll(async (file, selector) => {
      await writeFile(join(folder.path, file), files[file] ?? "");
      const { fields } = await fetchSource(join(folder.path, file), {}, session);
      return (await readArtifact(fields.artifact_ref ?? "", selector, session)).content ?? "";
    });
  });

  test("works on the command line", async () => {
    await using cli = await openCli();
    await checkAll(async (file, selector) => {
      const [{ artifact_ref: ref }] = await cli.json("fetch", await cli.write(file, files[file] ?? ""));
      const args = Object.entries(selector).flatMap(([name, value]) => [`--${name}`, String(value)]);
      return (await cli.json("read", ref, ...args))[0].content;
    });
  });

  test("works through MCP", async () => {
    await using mcp = await openMcp();
    const client = await mcp.client("2026-07-28", { env: { SPILLWAY_MCP_FORM: "both" } });
    const call = async (name: string, input: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: input })).structuredContent as Record<string, unknown>;
    await checkAll(async (file, selector) => {
      await mcp.write(file, files[file] ?? "");
      const { artifact_ref } = await call("fetch_content", { url: file });
      return String((await call("read_artifact", { artifact_ref, ...selector })).content);
    });
  });
});
