/** Where a photo was taken is shown only if the user asks for it, on every surface. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { defaultSettings } from "../src/config/settings.ts";
import { fetchSource, openSession, readArtifact } from "../src/index.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { openCli } from "./cli.ts";
import { openMcp } from "./mcp.ts";
import { makePhoto, makePng, makePngChunk } from "./media-files.ts";

const photo = makePhoto({ latitude: [52, 31, 12], longitude: [13, 24, 18] });
const LOCATION = /^Location: 52\.520000, 13\.405000, -34 m$/m;
const HINT = /left out unless the setting image\.location is show/;

describe("the location of a photo", () => {
  test("is shown on the command line with --set, and hidden again without", async () => {
    await using cli = await openCli();
    const path = await cli.write("photo.jpg", photo);
    const hidden = (await cli.run(["fetch", path])).out;
    assert.match(hidden, HINT);
    assert.doesNotMatch(hidden, /52\.52/);
    const shown = (await cli.run(["fetch", path, "--set", "image.location=show"])).out;
    assert.match(shown, LOCATION);
    assert.doesNotMatch(shown, HINT);
    assert.equal(
      (await cli.run(["fetch", path])).out.replaceAll(/content \w+/g, ""),
      hidden.replaceAll(/content \w+/g, ""),
    );
    assert.match((await cli.run(["cat", path, "--set", "image.location=show"])).out, LOCATION);
  });

  test("is hidden and shown where a PNG states it in its texts", async () => {
    await using cli = await openCli();
    const path = await cli.write(
      "quay.png",
      makePng(...["Title\0Quay", "GPSLatitude\x0052.52"].map((text) => makePngChunk("tEXt", Buffer.from(text)))),
    );
    const hidden = (await cli.run(["fetch", path])).out;
    assert.match(hidden, HINT);
    assert.match(hidden, /^Title: Quay$/m);
    assert.doesNotMatch(hidden, /52\.52/);
    assert.match((await cli.run(["fetch", path, "--set", "image.location=show"])).out, /^GPSLatitude: 52\.52$/m);
  });

  test("refuses another value, and a project cannot ask for it", async () => {
    await using cli = await openCli();
    const path = await cli.write("photo.jpg", photo);
    const { status, err } = await cli.run(["fetch", path, "--set", "image.location=yes"]);
    assert.deepEqual([status, /image\.location.*hide.*show/.test(err)], [2, true], err);
    await cli.write(".spillway/config.jsonc", '{ "image": { "location": "show" } }');
    assert.doesNotMatch((await cli.run(["fetch", path])).out, LOCATION);
  });

  test("is shown through MCP and in the library by the same setting", async () => {
    await using mcp = await openMcp();
    await mcp.write("photo.jpg", photo);
    const client = await mcp.client("2026-07-28", { env: { SPILLWAY_IMAGE_LOCATION: "show" } });
    const reply = await client.callTool({ name: "fetch_content", arguments: { url: "photo.jpg" } });
    assert.match(JSON.stringify(reply.content), /Location: 52\.520000, 13\.405000/);

    await using folder = await makeTemporaryFolder();
    await writeFile(join(folder.path, "photo.jpg"), photo);
    await using session = await openSession({
      inMemory: true,
      settings: { ...defaultSettings, "image.location": "show" },
    });
    const { fields } = await fetchSource(join(folder.path, "photo.jpg"), {}, session);
    assert.match((await readArtifact(fields.artifact_ref ?? "", {}, session)).content ?? "", LOCATION);
  });
});
