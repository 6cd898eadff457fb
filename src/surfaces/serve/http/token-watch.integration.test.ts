import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startServer } from "../../../../test/server.ts";
import { endWithToken } from "./token-watch.ts";

/** Reads a stream whose token is looked at every millisecond. */
async function readStream(isValid: () => Promise<boolean>): Promise<unknown> {
  await using server = await startServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": open\n\n");
    endWithToken(response, isValid, 1);
  });
  const response = await fetch(server.origin);
  return await response.text().catch((error: unknown) => error);
}

describe("a stream without an end", () => {
  test("ends when its token is revoked", async () => {
    let checks = 0;
    assert.ok((await readStream(async () => ++checks < 5)) instanceof Error);
    assert.ok(checks >= 5);
  });

  test("ends when its token cannot be checked", async () => {
    const fail = async () => {
      throw new Error("The file of tokens is broken.");
    };
    assert.ok((await readStream(fail)) instanceof Error);
  });
});
