/** The examples of the help, and completion in real shells. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { commands } from "../src/surfaces/cli/commands.ts";
import { openCli } from "./cli.ts";

const execute = promisify(execFile);

describe("the examples of a command", () => {
  for (const { name, load } of commands) {
    test(`${name}: each has options that exist`, async () => {
      await using cli = await openCli();
      const { examples } = await load();
      assert.notEqual(examples.length, 0);
      for (const [line] of examples) {
        const [word, ...args] = wordsOf(line);
        assert.equal(word, name, line);
        const { status, out, err } = await cli.run([name, "--help", ...args]);
        assert.equal(status, 0, `${line}: ${err}`);
        assert.ok(out.includes(line), line);
      }
    });
  }
});

describe("completion", () => {
  const asks: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
    [["fe"], ["fetch"]],
    [
      ["fetch", "--m"],
      ["--max-chars", "--mode"],
    ],
    [
      ["fetch", "a.txt", "--mode", ""],
      ["markdown", "raw", "text"],
    ],
    [
      ["artifacts", "s"],
      ["show", "sweep"],
    ],
    [["install", "cod"], ["codex"]],
    [["help", "wr"], ["wrap"]],
    [["with", "--q"], ["--quiet"]],
    [["fetch", "--max-chars", "x"], []],
  ];

  test("in bash", async (t) => {
    await using cli = await openCli();
    const script = await writeScript(cli, "bash");
    if (!(await isInstalled("bash"))) return t.skip("bash is not installed");
    for (const [words, offered] of asks) {
      const ask = `source ${script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _spillway; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout } = await execute("bash", ["-c", ask, "ask", "spillway", ...words]);
      assert.deepEqual(lines(stdout).toSorted(), offered, words.join(" "));
    }
  });

  test("in fish", async (t) => {
    await using cli = await openCli();
    const script = await writeScript(cli, "fish");
    if (!(await isInstalled("fish"))) return t.skip("fish is not installed");
    for (const [words, offered] of asks) {
      const ask = `source ${script}; complete -C "spillway ${words.join(" ")}"`;
      const { stdout } = await execute("fish", ["-c", ask], {
        cwd: cli.work,
        env: { ...process.env, HOME: cli.userHome },
      });
      const replies = lines(stdout).map((line) => line.split("\t")[0] ?? "");
      assert.deepEqual(replies, offered, words.join(" "));
    }
  });

  test("in zsh: the script is sound and describes every command", async (t) => {
    await using cli = await openCli();
    const script = await writeScript(cli, "zsh");
    if (!(await isInstalled("zsh"))) return t.skip("zsh is not installed");
    await execute("zsh", ["-n", script]);
    const ask = [
      "compdef() { :; }; CURRENT=2",
      `_describe() { print -l -- "\${(@P)2}"; }; _arguments() { print -l -- "$@"; }`,
      `source ${script}; _spillway; words=(spillway fetch); CURRENT=3; _spillway`,
    ];
    const { stdout } = await execute("zsh", ["-f", "-c", ask.join("\n")]);
    for (const { name, about } of commands) assert.ok(stdout.includes(`${name}:${about}`), name);
    assert.match(stdout, /^\*--mode=\[.+\]:value:\(markdown text raw\)$/m);
  });

  test("of another shell is refused", async () => {
    await using cli = await openCli();
    const { status, err } = await cli.run(["completion", "tcsh"]);
    assert.equal(status, 2);
    assert.match(err, /no script for "tcsh"\.\n {2}Shells: bash, zsh, fish\./);
    assert.match((await cli.run(["completion"])).err, /No shell was named/);
  });
});

/** The words of an example after `spillway`, without what belongs to the shell. */
function wordsOf(line: string): readonly string[] {
  const own = line.replace(/^.*?spillway /, "").replace(/ [<>] .*$|\)"$/, "");
  return [...own.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

async function writeScript(cli: Awaited<ReturnType<typeof openCli>>, shell: string): Promise<string> {
  const { status, out } = await cli.run(["completion", shell]);
  assert.equal(status, 0);
  const path = join(cli.work, `script.${shell}`);
  await writeFile(path, out);
  return path;
}

const lines = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");

async function isInstalled(program: string): Promise<boolean> {
  return execute("sh", ["-c", `command -v ${program}`]).then(
    () => true,
    () => false,
  );
}
