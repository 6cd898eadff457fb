import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { redactSecrets } from "./redact-secrets.ts";

describe("a line of a log", () => {
  for (const [line, expected] of [
    ["Authorization: Bearer abc.def-123456", "Authorization: Bearer ***"],
    ["using GITHUB_TOKEN=ghx_1234567890 now", "using GITHUB_TOKEN=*** now"],
    ['{"apiKey": "s3cr3t-value", "port": 8080}', '{"apiKey": ***, "port": 8080}'],
    ["password: hunter2hunter2", "password: ***"],
    ["connecting to postgres://me:pass@db/x", "connecting to postgres://***@db/x"],
  ] as const)
    test(`loses its secret: ${line}`, () => assert.equal(redactSecrets(line), expected));

  for (const line of [
    "listening on http://127.0.0.1:8080/mcp",
    "token: true",
    "12:00:01 INFO request id=12345678 done",
    "The key is missing. Set OPENAI_API_KEY.",
  ])
    test(`stays as it is: ${line}`, () => assert.equal(redactSecrets(line), line));
});
