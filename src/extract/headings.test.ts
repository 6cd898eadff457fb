import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertLinearTime } from "../../test/cpu-time.ts";
import { createHeadingFinder } from "./headings.ts";

const cases = [
  { name: "headings of any level", text: "# One\ntext\n### Three\n", marks: ["1 One 0", "3 Three 11"] },
  { name: "up to three spaces, and closing hashes", text: "   ## Title ##  \n", marks: ["2 Title 0"] },
  { name: "a hash inside the title stays", text: "# C# and F#\n", marks: ["1 C# and F# 0"] },
  { name: "an empty heading", text: "#\n## ##", marks: ["1  0", "2  2"] },
  {
    name: "no heading: a tag, seven hashes, indented code",
    text: "#tag\n####### x\n    # code\n\t# code\n",
    marks: [],
  },
  { name: "no heading inside a fence", text: "```sh\n# comment\n```\n# Real\n", marks: ["1 Real 20"] },
  { name: "a longer fence holds a shorter one", text: "````\n```\n# no\n````\n# Yes", marks: ["1 Yes 19"] },
  { name: "tildes do not close backticks", text: "```\n~~~\n# no\n```\n# Yes", marks: ["1 Yes 17"] },
  { name: "a fence with words after it closes nothing", text: "```\n``` x\n# no\n```\n# Yes", marks: ["1 Yes 19"] },
  { name: "code in a line opens no fence", text: "``` a ``` b\n# Yes", marks: ["1 Yes 12"] },
];

describe("headings", () => {
  for (const { name, text, marks } of cases) test(name, () => assert.deepEqual(headingsOf([text]), [marks]));

  for (const unit of [" ", "#", "# ", "`", "\t#"]) {
    test(`a hostile heading of ${JSON.stringify(unit)} takes time in proportion to its length`, () =>
      assertLinearTime(100_000, (count) => headingsOf([`# a${unit.repeat(count)}b\n\`\`\`${unit.repeat(count)}b`])));
  }

  test("an open fence continues in the next chunk", () => {
    assert.deepEqual(headingsOf(["```\n# no\n", "# no\n```\n# Yes\n"]), [[], ["1 Yes 9"]]);
  });

  test("a chunk that starts inside a line does not start with a heading", () => {
    assert.deepEqual(headingsOf(["a long line ", "# no\n# Yes\n"]), [[], ["1 Yes 5"]]);
  });
});

function headingsOf(chunks: readonly string[]): string[][] {
  const findHeadings = createHeadingFinder();
  return chunks.map((chunk) => findHeadings(chunk).map(({ label, level, at }) => `${level} ${label} ${at}`));
}
