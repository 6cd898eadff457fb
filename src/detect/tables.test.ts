/** Checks that the tables agree: every format that detection can identify has a kind, an extension and one spelling. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isRefinement } from "./container-claims.ts";
import { extensionRows, extensions } from "./extensions.ts";
import { brandedTypes } from "./formats/brands.ts";
import { isAlwaysSigned } from "./formats/magic.ts";
import { compoundTypes } from "./formats/ole.ts";
import { signatures } from "./formats/signatures.ts";
import { packagedTypes } from "./formats/zip-contents.ts";
import { canonicalizeMediaType, findContentKind } from "./media-types.ts";

const containerTypes = [...packagedTypes, ...compoundTypes, ...brandedTypes];
const signatureTypes = signatures.map((row) => row.mediaType);
const extensionTypes = new Set(extensions.values());

test("every type in a table has its canonical spelling", () => {
  for (const type of [...containerTypes, ...signatureTypes, ...extensionTypes])
    assert.equal(canonicalizeMediaType(type), type);
});

test("a packaged type is a document or an archive, and a claim of it is believed about a ZIP and nothing else", () => {
  for (const type of packagedTypes) {
    assert.ok(["office_doc", "archive"].includes(findContentKind(type)), type);
    assert.ok(isRefinement(type, "application/zip"), type);
    assert.ok(isAlwaysSigned(type), type);
  }
});

test("a compound type has a kind, and a claim of it is believed about a compound file", () => {
  const binaries = ["application/x-msi", "application/x-thumbs-db", "application/sldworks", "application/x-3dsmax"];
  for (const type of compoundTypes) {
    assert.ok(isRefinement(type, "application/x-ole-storage"), type);
    if (binaries.includes(type)) assert.equal(findContentKind(type), "unknown_binary", type);
    else assert.ok(["office_doc", "image"].includes(findContentKind(type)), type);
  }
});

test("a branded type is an image, audio or video", () => {
  for (const type of brandedTypes) {
    assert.match(type, /^(image|audio|video)\//);
    assert.ok(isAlwaysSigned(type), type);
  }
});

test("every format in a container has an extension, except three that have none", () => {
  const unnamed = containerTypes.filter((type) => !extensionTypes.has(type));
  assert.deepEqual(unnamed.sort(), [
    "application/vnd.apple.iwork",
    "application/vnd.ms-office-encrypted",
    "application/x-thumbs-db",
  ]);
});

test("no extension suggests two media types", () => {
  const listed = extensionRows.flatMap(([, list]) => list.split(" "));
  assert.deepEqual(
    listed.filter((extension, i) => listed.indexOf(extension) !== i),
    [],
  );
  assert.equal(extensions.size, listed.length);
});
