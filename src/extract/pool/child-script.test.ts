import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeTemporaryFolder } from "../../../test/bodies.ts";
import { findChildScript } from "./child-script.ts";

test("the program of the children is beside the sources, beside the published code, or in the installed package", async () => {
  assert.ok(findChildScript().pathname.endsWith("/src/extract/child-program.ts"));
  await using folder = await makeTemporaryFolder();
  const bundle = pathToFileURL(join(folder.path, "bundle.cjs")).href;
  assert.throws(() => findChildScript(bundle), /dist\/child\.js of the package spillway was not found/);
  const installed = join(folder.path, "node_modules", "spillway");
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, "package.json"), '{ "name": "spillway" }');
  assert.equal(findChildScript(bundle).href, pathToFileURL(join(installed, "dist", "child.js")).href);
  await writeFile(join(folder.path, "child.js"), "");
  assert.equal(findChildScript(bundle).href, pathToFileURL(join(folder.path, "child.js")).href);
});
