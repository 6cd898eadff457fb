/** How help is fitted to a terminal. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { settingsHelp } from "../../config/settings-docs.ts";
import { commands } from "./commands.ts";
import { fitHelp, renderCommandHelp, renderOverview } from "./help.ts";

const settingsText = settingsHelp().join("\n");
const texts = [
  renderOverview(commands),
  settingsText,
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

  for (const columns of [40, 60, 80, 120]) {
    test(`fills the lines of a paragraph on a terminal of ${columns} columns, all with one indent`, () => {
      for (const text of texts) {
        const lines = beforeExamples(fitHelp(text, columns)).split("\n");
        for (const [index, line] of lines.entries()) {
          const [, indent, word] = /^( *)(\S+)/.exec(lines[index + 1] ?? "") ?? [];
          if (/^ *$|[.:]$/.test(line) || word === undefined || indent !== /^ */.exec(line)?.[0]) continue;
          assert.ok(line.length + 1 + word.length > columns, `${line}\n${lines[index + 1]}`);
        }
      }
      const fitted = fitHelp(settingsText, columns).split("\n");
      const flush = fitted.filter((line) => /^\S/.test(line) && !/^[a-z][\w.]+(?: |$)|^\(SPILLWAY_\w+\)$/.test(line));
      assert.deepEqual(flush, [], "all lines but the names of settings are indented");
    });
  }

  test("has its lines as written without a terminal or a known width, and never breaks its examples", () => {
    for (const text of texts) {
      for (const columns of [undefined, 0, 1, 19]) assert.equal(fitHelp(text, columns), text);
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
