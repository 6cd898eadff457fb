import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeStorage } from "../../test/storage-places.ts";
import { CatalogueError } from "../catalogue/sql.ts";
import { defaultSettings } from "../config/settings.ts";
import { openStore } from "./artifact-store.ts";
import { findResponse, keepResponse, type ResponseEntry } from "./responses.ts";
import { sweep } from "./sweeper.ts";

const entry: ResponseEntry = {
  source_url: "https://example.org/a",
  title: "A",
  artifact_ref: `af_${"0".repeat(32)}`,
  mode: "markdown",
  query: null,
  error: null,
};

const day = 24 * 3_600_000;

describe("a kept list of refs", () => {
  test("is found by its owner under the same id, and by no other owner", async () => {
    const storage = makeStorage();
    const [ada, bob] = ["ada", "bob"].map((owner) => openStore(storage, { owner, run: "r" }));
    assert.ok(ada && bob);
    const id = (await keepResponse(ada, [entry])) ?? assert.fail();
    assert.match(id, /^rs_[0-9a-f]{32}$/);
    assert.equal(await keepResponse(ada, [entry]), id);
    assert.notEqual(await keepResponse(bob, [entry]), id);
    assert.deepEqual((await findResponse(ada, id)).entries, [entry]);
    await assert.rejects(findResponse(bob, id), /No result found for responseId/);
  });

  test("says so in the contract's words when there is none, whatever the id looks like", async () => {
    const store = openStore(makeStorage(), { owner: "ada", run: "r" });
    for (const id of ["rs_1", "*", "../../key", `rs_${"f".repeat(32)}`]) {
      const message = `No result found for responseId "${id}". Results may have expired or been cleared.`;
      await assert.rejects(findResponse(store, id), { message, code: "response_not_found" });
    }
  });

  test("is swept when it was unused for as long as artifacts are kept", async () => {
    let time = 0;
    const store = openStore(
      makeStorage(() => time),
      { owner: "ada", run: "r", now: () => time },
    );
    const [used, unused] = [await keepResponse(store, [entry]), await keepResponse(store, [entry, entry])];
    time = 10 * day;
    await findResponse(store, used ?? "");
    time = 20 * day;
    await sweep(store, defaultSettings);
    assert.equal((await findResponse(store, used ?? "")).entries.length, 1);
    await assert.rejects(findResponse(store, unused ?? ""), /expired or been cleared/);
  });

  test("is null if the store cannot be written, and not found if it is damaged", async () => {
    const full = () => Promise.reject(new CatalogueError("full", "database or disk is full"));
    const { objects, catalogue } = makeStorage();
    const fullStore = openStore({ objects, catalogue: { ...catalogue, transact: full } }, { owner: "ada", run: "r" });
    assert.equal(await keepResponse(fullStore, [entry]), null);
    const storage = makeStorage();
    const store = openStore(storage, { owner: "ada", run: "r" });
    const id = (await keepResponse(store, [entry])) ?? "";
    await storage.catalogue.run("UPDATE responses SET entries = '{'");
    await assert.rejects(findResponse(store, id), /No result found/);
  });
});
