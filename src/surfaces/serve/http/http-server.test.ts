/** What `spillway serve` advises where it cannot listen. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { adviseListening } from "./http-server.ts";

describe("a server that cannot listen", () => {
  const rows: readonly [code: string | undefined, setting: RegExp][] = [
    ["EADDRINUSE", /serve\.port=PORT.* another spillway serve/],
    ["EACCES", /below 1024.* serve\.port=PORT/],
    ["EADDRNOTAVAIL", /serve\.address=127\.0\.0\.1/],
    ["ENOTFOUND", /serve\.address=127\.0\.0\.1/],
    ["EAFNOSUPPORT", /serve\.address=127\.0\.0\.1/],
    ["EMFILE", /serve\.address and serve\.port/],
    [undefined, /serve\.address and serve\.port/],
  ];
  for (const [code, setting] of rows)
    test(`${code ?? "without a code"}: the hint names what to change`, () => {
      assert.match(adviseListening(code), setting);
      const isOfAddress = setting.source.includes("address");
      if (isOfAddress) assert.doesNotMatch(adviseListening(code), /another port|running already/);
    });
});
