import assert from "node:assert/strict";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../../test/bodies.ts";
import { SpillwayError } from "../../../errors.ts";
import { readTokenFile } from "./token-file.ts";
import { addToken, hashToken, openTokens, revokeToken } from "./tokens.ts";

const NOW = Date.parse("2026-11-16T06:00:00Z");

/** A token file in a folder of its own. */
async function openFile() {
  const folder = await makeTemporaryFolder();
  const path = join(folder.path, "home", "tokens.json");
  return { path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

/** Finds a token by what a client sends. */
function openFinder(path: string, now: () => number) {
  const find = openTokens(path, now);
  return (token: string) => find(hashToken(token));
}

describe("tokens", () => {
  test("a new token is found by what was handed out, and the file holds only its hash", async () => {
    await using file = await openFile();
    const { token } = await addToken(file.path, { name: "ann", owner: "team", rate: 60, isAdmin: true }, NOW);
    assert.match(token, /^spw_[\w-]{43}$/);
    const find = openFinder(file.path, () => NOW);
    assert.partialDeepStrictEqual(find(token), { name: "ann", owner: "team", rate: 60, admin: true });
    assert.ok(!(await readFile(file.path, "utf8")).includes(token.slice(4)));
    if (process.platform !== "win32") assert.equal((await stat(file.path)).mode & 0o777, 0o600);
  });

  test("no other text is a token: neither its hash, nor a part, nor one with a space", async () => {
    await using file = await openFile();
    const { token, row } = await addToken(file.path, { name: "ann" }, NOW);
    const find = openFinder(file.path, () => NOW);
    for (const text of ["", row.sha256, token.slice(1), token.slice(0, -1), `${token} `, token.toUpperCase(), "ann"])
      assert.equal(find(text), undefined, text);
  });

  test("a token ends when it expires, and when it is revoked", async () => {
    await using file = await openFile();
    let time = NOW;
    const { token } = await addToken(file.path, { name: "ann", expiresAt: NOW + 1_000 }, NOW);
    const { token: other } = await addToken(file.path, { name: "bob" }, NOW);
    const find = openFinder(file.path, () => time);
    assert.ok(find(token) && find(other));
    time = NOW + 1_000;
    assert.equal(find(token), undefined);
    await revokeToken(file.path, "bob");
    assert.equal(find(other), undefined);
  });

  test("concurrent additions are all kept", async () => {
    await using file = await openFile();
    const names = ["a", "b", "c", "d", "e"];
    await Promise.all(names.map((name) => addToken(file.path, { name }, NOW)));
    const rows = readTokenFile(file.path).rows.map(({ name }) => name);
    assert.deepEqual(rows.sort(), names);
  });

  test("names that are taken, unknown or not allowed are refused with a hint", async () => {
    await using file = await openFile();
    await addToken(file.path, { name: "ann" }, NOW);
    const isUsage = (error: unknown) => error instanceof SpillwayError && error.code === "usage" && error.hint !== "";
    await assert.rejects(addToken(file.path, { name: "ann" }, NOW), isUsage);
    for (const name of ["", "A", "../x", "a b", "-a", "a".repeat(64), "ä"])
      await assert.rejects(addToken(file.path, { name }, NOW), isUsage, name);
    await assert.rejects(addToken(file.path, { name: "c", owner: "Ann" }, NOW), isUsage);
    await assert.rejects(revokeToken(file.path, "an"), /There is no token named "an"/);
  });

  test("a file that is broken or that others can write to makes every token invalid", async () => {
    await using file = await openFile();
    const { token } = await addToken(file.path, { name: "ann" }, NOW);
    const find = openFinder(file.path, () => NOW);
    assert.ok(find(token));
    const good = await readFile(file.path, "utf8");
    const bad = [
      "",
      "{",
      "[]",
      '{"version":2,"tokens":[]}',
      '{"version":1,"tokens":[{}]}',
      good.replace('"admin": false', '"admin": "no"'),
      good.replace('"admin": false', '"admin": false, "only": "everything"'),
      good.replace(/"sha256": "..../, '"sha256": "'),
    ];
    for (const [index, text] of bad.entries()) {
      await writeFile(file.path, text + " ".repeat(index), { mode: 0o600 });
      assert.throws(() => find(token), /cannot be used/, text);
    }
    await writeFile(file.path, good);
    assert.ok(find(token));
    if (process.platform === "win32") return;
    await chmod(file.path, 0o622);
    assert.throws(() => find(token), /other users can write to it/);
  });
});
