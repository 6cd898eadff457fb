import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { contentKinds } from "../detect/kind.ts";
import { handlerContract, keep, run } from "./handler.contract.ts";
import { findHandler, handlers } from "./handlers.ts";
import { metadata } from "./metadata-handler.ts";

const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

handlerContract(metadata, [
  { name: "an image", kind: "image", mediaType: "image/png", bytes: png },
  { name: "an empty file", kind: "unknown_binary", mediaType: "application/octet-stream", bytes: Buffer.alloc(0) },
]);

const choices = [
  { kind: "text", mediaType: "text/plain", handler: "text" },
  { kind: "text", mediaType: "application/json", handler: "text" },
  { kind: "html", mediaType: "text/html", handler: "html" },
  { kind: "image", mediaType: "image/svg+xml", handler: "image" },
  { kind: "image", mediaType: "image/png", handler: "image" },
  { kind: "image", mediaType: "image/x-xcf", handler: "metadata" },
  { kind: "image", mediaType: "image/x-canon-cr2", handler: "image" },
  { kind: "unknown_binary", mediaType: "video/mp4", handler: "media" },
  { kind: "unknown_binary", mediaType: "application/wasm", handler: "media" },
  { kind: "unknown_binary", mediaType: "application/vnd.sqlite3", handler: "database" },
  { kind: "unknown_binary", mediaType: "application/x-pickle", handler: "metadata" },
  { kind: "archive", mediaType: "application/zip", handler: "archive" },
  { kind: "archive", mediaType: "application/x-lzh-compressed", handler: "archive" },
  { kind: "archive", mediaType: "application/x-arj", handler: "metadata" },
  { kind: "text", mediaType: "message/rfc822", handler: "mail" },
  { kind: "text", mediaType: "application/x-ipynb+json", handler: "notebook" },
  { kind: "office_doc", mediaType: "application/epub+zip", handler: "epub" },
  { kind: "office_doc", mediaType: "application/rtf", handler: "rtf" },
  { kind: "unknown_binary", mediaType: "text/plain", handler: "metadata" },
] as const;

describe("the handlers", () => {
  for (const { kind, mediaType, handler } of choices) {
    test(`${kind} of type ${mediaType} goes to ${handler}`, () => {
      assert.equal(findHandler(kind, mediaType, []).name, handler);
    });
  }

  test("every kind has a handler, since the last one accepts everything", () => {
    for (const kind of contentKinds) assert.ok(handlers.at(-1)?.canHandle(kind, ""));
  });

  test("have unique names, since stored extracts are found by them", () => {
    assert.equal(new Set(handlers.map(({ name }) => name)).size, handlers.length);
  });

  test("metadata shows none of a binary's bytes", async () => {
    await using kept = await keep({ kind: "image", mediaType: "image/png", bytes: png });
    assert.deepEqual(await run(metadata, kept.file), [{ info: {} }]);
  });
});
