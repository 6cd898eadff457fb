/** Pinned quality floors on the labelled corpus; a change may raise a floor, never lower one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimModes, corpusFolder, detectPrefix, detectWhole, readCorpus, scoreAnswers } from "../detection.ts";

const corpusDigest = "a8dd023081f3c7744e4253b63e659382ea816ffae44c7848d5418c4a9385468c";

/** Shares of right kinds, rounded down: after the first look, and for the whole body. */
const floors = [
  { header: "none", hasName: false, first: 0.991, whole: 0.992 },
  { header: "none", hasName: true, first: 0.997, whole: 0.998 },
  { header: "right", hasName: false, first: 0.997, whole: 0.998 },
  { header: "right", hasName: true, first: 0.997, whole: 0.998 },
];
/** The same under every header, right or wrong, with text and html counted as one kind. */
const mergedFloor = { first: 0.995, whole: 0.996 };
const officeFloor = 0.9955;

const corpus = readCorpus();
const skip = reasonToSkip();

function reasonToSkip(): string | false {
  if (corpus === null) return `no corpus at ${corpusFolder()}; set SPILLWAY_CORPUS`;
  return corpus.digest === corpusDigest ? false : `the corpus is a different one (digest ${corpus.digest})`;
}

for (const mode of claimModes) {
  test(`floors hold: header ${mode.header}, ${mode.hasName ? "with" : "without"} name`, { skip }, async () => {
    const files = corpus?.files ?? [];
    const first = scoreAnswers(
      files,
      files.map((file) => detectPrefix(file, mode)),
    );
    const whole = scoreAnswers(files, await Promise.all(files.map((file) => detectWhole(file, mode))));
    const floor = floors.find((row) => row.header === mode.header && row.hasName === mode.hasName);
    assert.equal(whole.binaryAsText, 0, "no binary is read as text");
    assert.deepEqual([first.pdfRecall, whole.pdfRecall], [1, 1], "no PDF is missed");
    assert.ok(whole.officeRecall >= officeFloor, `office recall ${whole.officeRecall}`);
    assert.ok(first.merged >= mergedFloor.first, `first look, merged: ${first.merged}`);
    assert.ok(whole.merged >= mergedFloor.whole, `whole body, merged: ${whole.merged}`);
    assert.ok(first.kind >= (floor?.first ?? 0), `first look: ${first.kind}`);
    assert.ok(whole.kind >= (floor?.whole ?? 0), `whole body: ${whole.kind}`);
  });
}
