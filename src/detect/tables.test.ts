import assert from "node:assert/strict";
import { test } from "node:test";
import { detectContentKind } from "./detect.ts";
import { extensionRows, extensions } from "./extensions.ts";
import { canonical, isTextMediaType, kindOf } from "./media-types.ts";
import { bytesOf, joined, noise } from "./samples.ts";
import { signatures } from "./signatures.ts";

const textTypes = [
  "text/plain",
  "text/html",
  "text/anything",
  "application/json",
  "application/ld+json",
  "application/vnd.api+json",
  "application/problem+json",
  "application/xml",
  "application/rss+xml",
  "application/atom+xml",
  "application/soap+xml",
  "image/svg+xml",
  "application/javascript",
  "application/ecmascript",
  "application/typescript",
  "application/yaml",
  "application/x-yaml",
  "application/toml",
  "application/sql",
  "application/graphql",
  "application/x-www-form-urlencoded",
  "application/x-ndjson",
  "application/jsonl",
  "application/x-tex",
  "application/x-pem-file",
  "application/x-sh",
  "message/rfc822",
  "multipart/form-data",
];

const binaryTypes = [
  "application/pdf",
  "application/zip",
  "application/octet-stream",
  "application/x-protobuf",
  "application/vnd.ms-excel",
  "application/grpc",
  "application/wasm",
  "audio/mpeg",
  "video/mp4",
  "font/woff2",
  "image/png",
  "application/rtf",
];

test("the text media types are exactly those on the list", () => {
  for (const type of textTypes) assert.ok(isTextMediaType(canonical(type)), type);
  for (const type of [...binaryTypes, "text/rtf", "text/pdf"]) assert.ok(!isTextMediaType(canonical(type)), type);
});

test("media types have the kind they are kept as", () => {
  const kinds = {
    "application/xhtml+xml": "html",
    "image/svg+xml": "image",
    "image/vnd.dwg": "image",
    "text/rtf": "office_doc",
    "application/epub+zip": "office_doc",
    "application/vnd.oasis.opendocument.text": "office_doc",
    "application/java-archive": "archive",
    "model/3mf": "archive",
    "application/x-msi": "unknown_binary",
    "audio/mpeg": "unknown_binary",
    "application/vnd.ms-outlook-pst": "unknown_binary",
  } as const;
  for (const [type, kind] of Object.entries(kinds)) assert.equal(kindOf(canonical(type)), kind, type);
});

test("no extension suggests two media types", () => {
  const listed = extensionRows.flatMap(([, list]) => list.split(" "));
  assert.deepEqual(
    listed.filter((extension, i) => listed.indexOf(extension) !== i),
    [],
  );
  assert.equal(extensions.size, listed.length);
});

test("the signature table is large, and every signature without a further check is found", () => {
  assert.ok(signatures.length >= 400, `${signatures.length} rows`);
  for (const row of signatures.filter(({ when, and }) => when === undefined && and === undefined)) {
    const at = row.at ?? 0;
    const firstBytes = joined(new Uint8Array(at), bytesOf(row.magic), noise(64));
    const found = detectContentKind({ firstBytes });
    assert.equal(found.decidedBy, "magic", `${row.mediaType} at ${at}`);
    assert.notEqual(found.kind, "text", row.mediaType);
  }
});

test("signatures of two or three bytes carry a check", () => {
  const bare = signatures.filter(({ magic, when, and }) => magic.length < 3 && when === undefined && and === undefined);
  assert.deepEqual(
    bare.map((row) => row.mediaType),
    [],
  );
});
