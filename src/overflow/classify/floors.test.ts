/** Quality floors on the recorded provider responses. A change may raise a floor, never lower it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { corpusFile, readRecordedResponses, scoreResponses, wasTunedLater } from "../../../test/overflow-corpus.ts";
import { classify } from "./classify.ts";
import { wordings } from "./wordings.ts";

const corpusDigest = "99e804b939d8837f401111bb3f8deba4f393117df4e221ddf1a2d3ab6aebb028";

const floors = { precision: 0.99, recall: 0.99, class: 0.99, numbers: 0.99, byteLimits: 1 };
/** A third of the providers, not used in the first tuning; the rules have been fitted to them since. */
const tunedLaterFloors = { precision: 1, recall: 0.95, class: 0.965, numbers: 0.95 };

const corpus = readRecordedResponses();
const skip = reasonToSkip();

/** Skips only if the corpus is neither present nor configured: a configured folder must contain it. */
function reasonToSkip(): string | false {
  const isConfigured = process.env.SPILLWAY_CORPUS !== undefined;
  return corpus === null && !isConfigured ? `no recorded answers at ${corpusFile()}; set SPILLWAY_CORPUS` : false;
}

test("the floors were set on these answers", { skip }, () => assert.equal(corpus?.digest, corpusDigest));

function assertFloors(scores: Readonly<Record<string, number>>, minimums: Readonly<Record<string, number>>): void {
  for (const [name, floor] of Object.entries(minimums))
    assert.ok((scores[name] ?? 0) >= floor, `${name}: ${scores[name]}`);
}

test("floors hold on all recorded answers", { skip }, () =>
  assertFloors(scoreResponses(corpus?.answers ?? []), floors),
);

test("floors hold on the providers of the later tuning", { skip }, () => {
  assertFloors(scoreResponses((corpus?.answers ?? []).filter(wasTunedLater)), tunedLaterFloors);
});

test("text of tools and models is never classified, wherever a response contains it", { skip }, () => {
  const texts = (corpus?.answers ?? []).filter(({ kind }) => kind === "adversarial_text");
  assert.ok(texts.length > 0);
  for (const { body } of texts) {
    const responses = [
      { status: 200, body: JSON.stringify({ choices: [{ message: { content: body }, finish_reason: "stop" }] }) },
      { status: 200, body },
      { streamEvent: { type: "content_block_delta", delta: { type: "text_delta", text: body } } },
      { streamEvent: `data: ${JSON.stringify({ choices: [{ delta: { content: body } }] })}\n\n` },
      { status: 400, body: JSON.stringify({ detail: [{ msg: "field required", input: body }] }) },
    ];
    for (const response of responses) assert.equal(classify(response).class, "other", JSON.stringify(response));
  }
});

test("the example of every recorded wording occurs in the answers", { skip }, () => {
  const normalize = (text: string) =>
    text
      .toLowerCase()
      .replace(/\\/g, "")
      .replace(/[^\p{L}\p{N}<>=]+/gu, " ")
      .replace(/\d+/g, "0")
      .trim();
  const bodies = (corpus?.answers ?? []).map(({ body }) => normalize(body));
  for (const { example } of wordings.filter(({ origin }) => origin === "recorded")) {
    assert.ok(
      bodies.some((body) => body.includes(normalize(example))),
      example,
    );
  }
});
