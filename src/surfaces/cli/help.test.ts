/** How help is fitted to a terminal. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commands } from "./commands.ts";
import { fitHelp, renderCommandHelp, renderOverview } from "./help.ts";

const texts = [
  renderOverview(commands),
  ...(await Promise.all(commands.map(async ({ load }) => renderCommandHelp(await load())))),
];
const beforeExamples = (text: string): string => text.split(/^Examples:$/m)[0] ?? "";
const words = (text: string): string[] => text.split(/\s+/);

describe("help", () => {
  for (const columns of [40, 80, 120]) {
    test(`has every word, and no line is wider than a terminal of ${columns} columns unless one word is`, () => {
      for (const text of texts) {
        const fitted = fitHelp(text, columns);
        assert.deepEqual(words(fitted), words(text));
        for (const line of beforeExamples(fitted).split("\n"))
          assert.ok(line.length <= columns || words(line.trim()).length <= 3, line);
      }
    });
  }

  test("is as it is where there is no terminal, and its examples are never broken", () => {
    for (const text of texts) {
      assert.equal(fitHelp(text, undefined), text);
      assert.ok(text.endsWith(fitHelp(text, 20).split(/(?=^Examples:$)/m)[1] ?? ""));
    }
  });

  test("continues below the description, or below the option on a narrow terminal", () => {
    const line = "  --to FILE         With migrate: a config file with the settings of the new store. Run it again.";
    assert.equal(
      fitHelp(line, 60),
      [
        "  --to FILE         With migrate: a config file with the",
        "                    settings of the new store. Run it again.",
      ].join("\n"),
    );
    assert.equal(fitHelp(line, 40).split("\n")[1], "      With migrate: a config file with");
  });
});
