/** Pinned quality floors on the recorded provider answers; a change may raise a floor, never lower one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { answersFile, isHeldBack, readAnswers, scoreAnswers } from "../../../test/overflow-corpus.ts";
import { classify } from "./classify.ts";
import { wordings } from "./wordings.ts";

const corpusDigest = "99e804b939d8837f401111bb3f8deba4f393117df4e221ddf1a2d3ab6aebb028";

const floors = { precision: 0.99, recall: 0.99, class: 0.99, numbers: 0.99, byteLimits: 1 };
/** A third of the providers, kept out of the first tuning; their misses were read and mended later. */
const heldBackFloors = { precision: 1, recall: 0.95, class: 0.965, numbers: 0.95 };

const corpus = readAnswers();
const skip = reasonToSkip();

/** Only where nobody said that the answers are there; a folder that was named must hold them. */
function reasonToSkip(): string | false {
  const named = process.env.SPILLWAY_CORPUS !== undefined;
  return corpus === null && !named ? `no recorded answers at ${answersFile()}; set SPILLWAY_CORPUS` : false;
}

test("the answers are the ones the floors were set on", { skip }, () => assert.equal(corpus?.digest, corpusDigest));

function assertFloors(scores: Readonly<Record<string, number>>, least: Readonly<Record<string, number>>): void {
  for (const [name, floor] of Object.entries(least))
    assert.ok((scores[name] ?? 0) >= floor, `${name}: ${scores[name]}`);
}

test("floors hold on all recorded answers", { skip }, () => assertFloors(scoreAnswers(corpus?.answers ?? []), floors));

test("floors hold on the providers that were held back", { skip }, () => {
  assertFloors(scoreAnswers((corpus?.answers ?? []).filter(isHeldBack)), heldBackFloors);
});

test("texts of tools and models are never classified, wherever a client might carry them", { skip }, () => {
  const texts = (corpus?.answers ?? []).filter(({ kind }) => kind === "adversarial_text");
  assert.ok(texts.length > 0);
  for (const { body } of texts) {
    const carried = [
      { status: 200, body: JSON.stringify({ choices: [{ message: { content: body }, finish_reason: "stop" }] }) },
      { status: 200, body },
      { streamEvent: { type: "content_block_delta", delta: { type: "text_delta", text: body } } },
      { streamEvent: `data: ${JSON.stringify({ choices: [{ delta: { content: body } }] })}\n\n` },
      { status: 400, body: JSON.stringify({ detail: [{ msg: "field required", input: body }] }) },
    ];
    for (const given of carried) assert.equal(classify(given).class, "other", JSON.stringify(given));
  }
});

test("a wording that claims to be recorded is", { skip }, () => {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/\\/g, "")
      .replace(/[^\p{L}\p{N}<>=]+/gu, " ")
      .replace(/\d+/g, "0")
      .trim();
  const bodies = (corpus?.answers ?? []).map(({ body }) => plain(body));
  for (const { example } of wordings.filter(({ origin }) => origin === "recorded")) {
    assert.ok(
      bodies.some((body) => body.includes(plain(example))),
      example,
    );
  }
});
