import assert from "node:assert/strict";
import { test } from "node:test";
import { smoothNoise } from "./smooth-noise.ts";

const WIDTH = 120;
const HEIGHT = 90;

/** Paper with black bars, and noise of this strength that is the same on every run. */
function drawBars(noise: number): Uint8Array {
  const header = Buffer.from(`P5\n${WIDTH} ${HEIGHT}\n255\n`);
  const pixels = new Uint8Array(WIDTH * HEIGHT);
  let seed = 1;
  for (let at = 0; at < pixels.length; at += 1) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    const shade = isBar(at) ? 0 : 255;
    pixels[at] = Math.max(0, Math.min(255, shade + (seed / 2 ** 32 - 0.5) * 2 * noise));
  }
  return Buffer.concat([header, pixels]);
}

const isBar = (at: number): boolean => Math.floor(at / WIDTH) % 30 < 6 && at % WIDTH > 10;

/** How many pixels of the paper are darker than the middle of the shades. */
function countDots(picture: Uint8Array): number {
  return picture.subarray(-WIDTH * HEIGHT).reduce((sum, shade, at) => {
    const row = Math.floor(at / WIDTH) % 30;
    return row > 7 && row < 28 && shade < 140 ? sum + 1 : sum;
  }, 0);
}

test("the dots of a noisy picture disappear, and its bars stay", () => {
  const picture = drawBars(120);
  assert.ok(countDots(picture) > 100);
  assert.equal(smoothNoise(picture), true);
  assert.equal(countDots(picture), 0);
  const middleOfBar = picture.length - WIDTH * HEIGHT + 32 * WIDTH + 60;
  assert.ok((picture[middleOfBar] ?? 255) < 80);
});

for (const [name, picture] of [
  ["a clean picture", drawBars(0)],
  ["a picture with a little noise", drawBars(8)],
  ["a picture in another format", Buffer.from("\x89PNG\r\n\x1a\n not for us")],
  ["a picture that is cut off", drawBars(120).subarray(0, 500)],
  ["an icon", Buffer.from(`P5\n2 2\n255\n\xff\x00\xff\x00`, "latin1")],
  ["no picture", new Uint8Array(0)],
] as const) {
  test(`${name} is left as it is`, () => {
    const before = Buffer.from(picture);
    assert.equal(smoothNoise(picture), false);
    assert.ok(before.equals(picture));
  });
}
