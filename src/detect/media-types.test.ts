import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalizeMediaType, findContentKind, isTextMediaType } from "./media-types.ts";

const textFamilies = [
  "text/plain",
  "text/html",
  "text/anything",
  "application/ld+json",
  "application/vnd.api+json",
  "application/problem+json",
  "application/geo+json-seq",
  "application/rss+xml",
  "application/atom+xml",
  "application/soap+xml",
  "application/openapi+yaml",
  "image/svg+xml",
  "message/rfc822",
  "multipart/form-data",
];

/** Each is on the explicit list in media-types.ts, and nothing that only resembles it is. */
const listedTypes = [
  "application/json",
  "application/xml",
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
];

const nearMisses = [
  "application/jsonx",
  "application/x-foo",
  "application/text",
  "application/vnd.json",
  "application/json+zip",
  "application/foo+jsonx",
  "application/foo-xml",
  "application/x-protobuf",
  "application/grpc",
  "texts/plain",
  "x-text/plain",
  "plain",
  "",
];

const binaryTypes = [
  "application/pdf",
  "application/zip",
  "application/octet-stream",
  "application/vnd.ms-excel",
  "application/wasm",
  "application/rtf",
  "audio/mpeg",
  "video/mp4",
  "font/woff2",
  "image/png",
  "text/rtf",
  "text/pdf",
];

test("every text/*, message/*, multipart/* and structured syntax is text, and so is each type on the list", () => {
  for (const type of [...textFamilies, ...listedTypes]) assert.ok(isTextMediaType(canonicalizeMediaType(type)), type);
});

test("what only resembles a text type is not text, and neither are documents labelled text/*", () => {
  const suffixed = listedTypes.flatMap((type) => [`${type}x`, `${type}.v2`, `x${type}`]);
  for (const type of [...nearMisses, ...suffixed, ...binaryTypes])
    assert.ok(!isTextMediaType(canonicalizeMediaType(type)), type);
});

test("media types have the expected kind", () => {
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
  for (const [type, kind] of Object.entries(kinds))
    assert.equal(findContentKind(canonicalizeMediaType(type)), kind, type);
});
