import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryBody } from "../../../test/detection.ts";
import { joined, noise, utf8 } from "../../../test/samples.ts";
import { confirmKind } from "../confirm.ts";

const line = "The level at weir seven fell by two centimetres in an hour, as it did the day before.\n";
const text = (sizeBytes: number): Uint8Array =>
  utf8(line.repeat(Math.ceil(sizeBytes / line.length)).slice(0, sizeBytes));

const detect = async (bytes: Uint8Array) => {
  const { kind, charset } = await confirmKind(memoryBody(bytes), {});
  return [kind, charset];
};

const controls = Array.from({ length: 0x20 }, (_, value) => value).filter(
  (value) => !/[\t\n\r]/.test(String.fromCharCode(value)),
);

/** A text with control bytes of every kind, one in every `step` bytes. */
function withControls(sizeBytes: number, step: number): Uint8Array {
  const bytes = text(sizeBytes);
  for (let at = step - 1, next = 0; at < bytes.length; at += step, next++)
    bytes[at] = controls[next % controls.length] ?? 1;
  return bytes;
}

describe("stray control bytes", () => {
  for (const sizeBytes of [300, 11_000, 450_000]) {
    test(`one of any kind, anywhere in ${sizeBytes} bytes, leaves it text`, async () => {
      for (const value of controls) {
        for (const place of [40, sizeBytes >> 1, sizeBytes - 2]) {
          const bytes = text(sizeBytes);
          bytes[place] = value;
          if (value === 0 && sizeBytes === 300) continue;
          assert.deepEqual(await detect(bytes), ["text", "utf-8"], `0x${value.toString(16)} at ${place}`);
        }
      }
    });
  }

  for (const sizeBytes of [5_000, 64 * 1024, 500_000]) {
    test(`one in a thousand of ${sizeBytes} bytes leave it text`, async () => {
      assert.deepEqual(await detect(withControls(sizeBytes, 1_000)), ["text", "utf-8"]);
    });
  }

  test("one in a hundred make it binary, also in a single window of many", async () => {
    assert.equal((await detect(withControls(50_000, 100)))[0], "unknown_binary");
    const bytes = joined(text(200_000), withControls(70_000, 100), text(200_000));
    assert.equal((await detect(bytes))[0], "unknown_binary");
  });

  test("binary data inside a text makes it binary, however short", async () => {
    for (const sizeBytes of [100, 200, 500])
      assert.equal(
        (await detect(joined(text(300_000), noise(sizeBytes), text(300_000))))[0],
        "unknown_binary",
        `${sizeBytes}`,
      );
  });

  test("a short record that begins with its length is binary", async () => {
    assert.equal((await detect(joined(Uint8Array.of(0x05), text(200))))[0], "unknown_binary");
  });

  test("one in UTF-16 without a mark leaves it text", async () => {
    const bytes = Buffer.from(line.repeat(200).replace("seven", "se\u0001ven"), "utf16le");
    assert.deepEqual(await detect(bytes), ["text", "utf-16le"]);
  });

  test("one in Chinese text leaves it text", async () => {
    const bytes = utf8(`${"今天的天气很好，我们去公园散步。\n".repeat(50)}\u0002${"看到了很多花。\n".repeat(50)}`);
    assert.deepEqual(await detect(bytes), ["text", "utf-8"]);
  });
});
