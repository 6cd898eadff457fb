/** Wrong usage of every command: what the error says, that its hint works, and the exit status. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { commands } from "../src/surfaces/cli/commands.ts";
import { commonOptions } from "../src/surfaces/cli/help.ts";
import { openCli } from "./cli.ts";
import { openTools } from "./tools.ts";

const longName = "x".repeat(5_000);
const unknownRef = `af_${"0".repeat(32)}`;
const options = await Promise.all(
  commands.map(async ({ name, load }) => ({ name, rows: { ...(await load()).options, ...commonOptions } })),
);

describe("a misspelt name", () => {
  const misspell = (name: string) => {
    const swapped = `${name.slice(0, -2)}${name.at(-1)}${name.at(-2)}`;
    return name.length > 4 && swapped !== name ? swapped : `${name}x`;
  };

  for (const { name } of commands) {
    test(`of the command ${name} is answered with the right one`, async () => {
      await using cli = await openCli();
      for (const argv of [
        [misspell(name), "a"],
        ["help", misspell(name)],
      ]) {
        const { status, err } = await cli.run(argv);
        assert.equal(status, 2);
        assert.ok(err.includes(`There is no command "${misspell(name)}".`), err);
        assert.ok(err.includes(`Did you mean ${name}? spillway help lists the commands.`), err);
      }
    });
  }

  for (const { name, rows } of options) {
    test(`of any option of ${name} is answered with the right one`, async () => {
      await using cli = await openCli();
      for (const option of Object.keys(rows).filter((each) => each.length > 3)) {
        const { status, err } = await cli.run([name, `--${misspell(option)}`]);
        assert.equal(status, 2, option);
        assert.ok(err.includes(`${name} has no option --${misspell(option)}.`), err);
        assert.ok(err.includes(`Did you mean --${option}?`), err);
      }
    });
  }

  test("of an option that only another command has names that command", async () => {
    await using cli = await openCli();
    const { status, err } = await cli.run(["fetch", "--ofset", "5", "data:,x"]);
    assert.equal(status, 2);
    assert.match(
      err,
      /fetch has no option --ofset\.\n {2}--offset is an option of spillway read; spillway help read shows it\./,
    );
    assert.match((await cli.run(["help", "read"])).out, /--offset N/);
  });

  const settings = [
    { argv: ["--set", "fit.inline_char=5000"], hint: "Did you mean fit.inline_chars?", status: 2 },
    { env: { SPILLWAY_FIT_INLINE_CHAR: "5000" }, hint: "Did you mean SPILLWAY_FIT_INLINE_CHARS?", status: 1 },
    { file: '{"fit": {"inline_char": 5000}}', hint: "Did you mean fit.inline_chars?", status: 1 },
  ];
  for (const { argv = [], env = {}, file, hint, status } of settings) {
    const place = file === undefined ? (argv[0] ?? "the environment") : "a file";
    test(`of a setting in ${place} is answered with the right one`, async () => {
      await using cli = await openCli();
      if (file !== undefined) await cli.write("mine.json", file);
      const config = file === undefined ? {} : { SPILLWAY_CONFIG: "mine.json" };
      const result = await cli.run(["fetch", "data:,x", ...argv], { env: { ...env, ...config } });
      assert.equal(result.status, status);
      assert.ok(result.err.includes(hint), result.err);
    });
  }

  test("of an action and of a client is answered with the right one", async () => {
    await using cli = await openCli();
    assert.match((await cli.run(["artifacts", "manfest"])).err, /Did you mean manifest\? Actions: ls, show/);
    assert.match((await cli.run(["mcp", "--client", "curser"])).err, /Did you mean Cursor\? Known clients:/);
  });
});

describe("a bad number", () => {
  const cases = [
    { argv: ["fetch", "data:,x"], option: "--max-chars", says: /--max-chars must be a whole number from 1, got / },
    { argv: ["read", unknownRef], option: "--max-chars", says: /--max-chars must be a whole number from 1, got / },
    {
      argv: ["search", "heron"],
      option: "--limit",
      says: /--limit must be a number, got |Limit must be between 1 and 50, /,
    },
  ];
  for (const { argv, option, says } of cases) {
    test(`for ${option} of ${argv[0]} is refused with an example that is accepted`, async () => {
      await using cli = await openCli();
      await cli.write("a.ts", "const heron = 1;");
      for (const bad of ["-5", "abc", "2.5", "1e3", "0x10", "", " ", "9".repeat(20)]) {
        for (const given of [[option, bad], [`${option}=${bad}`]]) {
          const { status, err } = await cli.run([...argv, ...given]);
          assert.equal(status, 2, `${given}: ${err}`);
          assert.match(err, says);
          const [, example = ""] = /(?:such as|For example(?: --[a-z-]+)?) (\d+)/.exec(err) ?? [];
          assert.notEqual((await cli.run([...argv, option, example])).status, 2, err);
        }
      }
    });
  }

  test("for a selector of read is refused, also with a dash", async () => {
    await using cli = await openCli();
    for (const [option, bad] of [
      ["--lines", "-5"],
      ["--offset", "-5"],
      ["--pages", "-1"],
    ] as const) {
      const { status, err } = await cli.run(["read", unknownRef, option, bad]);
      assert.equal(status, 2);
      assert.match(err, /must be (?:numbers from 1|a whole number from 0).*got "-\d"/);
    }
  });

  test("for the limit of search_code gets a hint for that number", async () => {
    await using cli = await openCli();
    await cli.write("a.ts", "const heron = 1;");
    await using tools = await openTools();
    await tools.write("a.ts", "const heron = 1;");
    const call = async (limit: unknown) => (await tools.call("search_code", { query: "heron", limit })).text;
    assert.match(await call("abc"), /limit must be a whole number, not "abc"\.\nFor example "limit": 10/);
    for (const limit of [0, -3, "0"]) assert.match(await call(limit), /between 1 and 50, got -?\d\nUse a whole number/);
    const tooMany = await cli.run(["search", "heron", "--limit", "99"]);
    assert.match(tooMany.err, /between 1 and 50, got 99\n {2}Use 50, and continue with the cursor/);
  });

  test("in --set has exit status 2", async () => {
    await using cli = await openCli();
    for (const pair of ["fit.read_chars=1", "fit.read_chars=", "nonsense", "nonsense=1", "=1", "artifacts.keep=14"]) {
      assert.equal((await cli.run(["fetch", "data:,x", "--set", pair])).status, 2, pair);
    }
  });
});

describe("a value that is missing or too much", () => {
  test("is said in one sentence that names the option", async () => {
    await using cli = await openCli();
    const missing = await cli.run(["fetch", "data:,x", "--mode"]);
    assert.match(missing.err, /^spillway: --mode needs a value\.\n/);
    const dashed = await cli.run(["read", unknownRef, "--section", "-foo"]);
    assert.match(dashed.err, /^spillway: --section needs a value\.\n {2}Write .* as --section=-VALUE\./);
    assert.match((await cli.run(["fetch", "data:,x", "--json=yes"])).err, /^spillway: --json takes no value\.\n/);
    assert.equal((await cli.run(["fetch", "--", "-5"])).status, 1, "after -- everything is an input");
  });

  test("is refused where it is empty, as a variable that is not set leaves it", async () => {
    await using cli = await openCli();
    for (const argv of [
      ["read", unknownRef, "--query", ""],
      ["read", unknownRef, "--section="],
      ["search", "heron", "--dir", ""],
    ]) {
      const { status, err } = await cli.run(argv);
      assert.equal(status, 2, argv.join(" "));
      assert.match(err, /^spillway: The value of --(\w+) is empty\.\n {2}Give a value, or leave --\1 out\.\n$/);
    }
  });

  test("names the command in the hint", async () => {
    await using cli = await openCli();
    for (const name of ["fetch", "cat", "detect"])
      assert.match((await cli.run([name])).err, new RegExp(`spillway help ${name} shows what it takes`));
    for (const name of ["doctor", "mcp", "proxy", "classify-error"])
      assert.match((await cli.run([name, "extra"])).err, new RegExp(`spillway help ${name} shows the usage`));
  });
});

describe("artifacts rm and show", () => {
  for (const action of ["rm", "show"]) {
    test(`${action} without a ref, or with an unknown one, lead to the list of refs`, async () => {
      await using cli = await openCli();
      const none = await cli.run(["artifacts", action]);
      assert.equal(none.status, 2);
      assert.match(
        none.err,
        new RegExp(`artifacts ${action} takes one or more artifact_refs\\.\\n  spillway artifacts ls`),
      );
      for (const ref of [unknownRef, "af_12", "*"]) {
        const unknown = await cli.run(["artifacts", action, ref]);
        assert.equal(unknown.status, 1);
        assert.match(unknown.err, /No artifact .*\n {2}spillway artifacts ls lists the refs that exist\./);
      }
    });
  }

  test("counts one thing in the singular", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "heron");
    await cli.run(["fetch", "a.txt"]);
    assert.match((await cli.run(["doctor"])).out, /artifacts: 1 artifact, 5 B/);
    const { out } = await cli.run([
      "artifacts",
      "sweep",
      "--set",
      "artifacts.keep_per_run=1",
      "--set",
      "artifacts.keep=0s",
    ]);
    assert.match(out, /^(?:1 artifact expired|0 artifacts expired), (?:1 blob|0 blobs) deleted/);
    await cli.write("src/a.ts", "const heron = 1;");
    await cli.run(["index", "src"]);
    assert.match((await cli.run(["index", "src"])).err, /\(1 file already indexed\)/);
  });
});

describe("a name that is too long", () => {
  const inputs = [
    ["fetch", longName],
    ["cat", longName],
    ["detect", longName],
    ["index", longName],
    ["search", "heron", "--dir", longName],
    ["read", longName],
    ["artifacts", "rm", longName],
    ["artifacts", "manifest", longName],
    ["events", longName],
    ["run", "--resume", longName],
    ["help", longName],
    [longName],
    ["fetch", `--${longName}`],
    ["fetch", "data:,x", "--mode", longName],
    ["fetch", "data:,x", "--set", longName],
    ["fetch", "data:,x", "--set", `${longName}=1`],
    ["mcp", "--client", longName],
  ];
  for (const argv of inputs) {
    const shown = argv.map((arg) => arg.replace(longName, "LONG")).join(" ");
    test(`in ${shown} is a short error about the name`, async () => {
      await using cli = await openCli();
      const { status, err } = await cli.run(argv);
      assert.ok(status === 1 || status === 2);
      assert.ok(err.length < 600, err);
      assert.doesNotMatch(err, /internal error|disk|project\.json|ENAMETOOLONG/);
    });
  }

  const homeCommands = [
    ["fetch", "a.txt"],
    ["artifacts"],
    ["artifacts", "sweep"],
    ["events"],
    ["doctor"],
    ["search", "heron"],
    ["index"],
  ];
  for (const argv of homeCommands) {
    test(`of the home is no internal error in ${argv.join(" ")}`, async () => {
      await using cli = await openCli();
      await cli.write("a.txt", "heron");
      const { out, err } = await cli.run(argv, { env: { SPILLWAY_HOME: join("/tmp", longName) } });
      assert.doesNotMatch(out + err, /internal error/);
    });
  }
});

describe("a word that belongs elsewhere leads there", () => {
  const cases = [
    { argv: ["ls"], hint: "Did you mean spillway artifacts ls?", works: ["artifacts", "ls"] },
    { argv: ["revoke", "ann"], hint: "Did you mean spillway token revoke?" },
    { argv: ["claude"], hint: "Did you mean spillway with claude?" },
    { argv: ["config"], hint: "Did you mean spillway help settings?", works: ["help", "settings"] },
    { argv: ["grep", "heron"], hint: "Did you mean spillway search?", works: ["search", "heron"] },
    { argv: ["read", "a.txt"], hint: "run spillway fetch a.txt.", works: ["fetch", "a.txt"] },
    { argv: ["read", "af_2d11"], hint: "spillway artifacts ls lists those that exist." },
    {
      argv: ["fetch", unknownRef],
      hint: `This is a ref: use read_artifact, on the command line spillway read ${unknownRef}.`,
    },
    { argv: ["fetch", "caf\ufffd.txt"], hint: "spillway fetch - < FILE" },
    { argv: ["fetch", "."], hint: "spillway search", works: ["search", "heron"] },
    { argv: ["store", "migrate", "--to", "none.jsonc"], hint: "name another file with --to" },
    { argv: ["wrap"], hint: "Name one with --client: claude-code" },
  ];
  for (const { argv, hint, works } of cases) {
    test(argv.join(" "), async () => {
      await using cli = await openCli();
      await cli.write("a.txt", "heron");
      const { status, err } = await cli.run(argv);
      assert.notEqual(status, 0);
      assert.ok(err.includes(hint), err);
      assert.doesNotMatch(err, /SPILLWAY_CONFIG/);
      if (works) assert.equal((await cli.run(works)).status, 0);
    });
  }
});

describe("a data folder that cannot be written", () => {
  const inputs = [
    ["token", "add", "ann"],
    ["install", "cursor", "--yes"],
    ["proxy", "--set", "proxy.port=0"],
    ["with", "--openai-env", "BASE_URL", "true"],
  ];
  for (const argv of inputs) {
    test(`is named in the error of ${argv.join(" ")}`, async () => {
      await using cli = await openCli();
      await cli.write("file", "not a folder");
      const env = { SPILLWAY_HOME: join(cli.work, "file", "home") };
      const { status, err } = await cli.run(argv, { env });
      assert.equal(status, 1);
      assert.ok(err.includes(join(cli.work, "file")), err);
      assert.match(err, /is not writable \(ENOTDIR\)\.\n {2}.*set SPILLWAY_HOME to a folder that can be written\./);
      assert.doesNotMatch(err, /internal error/);
      const { out } = await cli.run(["--json", ...argv], { env });
      assert.equal(JSON.parse(out.trim().split("\n").at(-1) ?? "").code, "store_unavailable");
    });
  }
});

describe("the exit status of fetch", () => {
  test("is 0 for a source without text that is kept, and the reply says why", async () => {
    await using cli = await openCli();
    await cli.write("broken.pdf", "%PDF-1.4 garbage");
    await cli.write("noise.bin", Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 7_919) % 256)));
    await cli.write("empty.txt", "");
    for (const name of ["broken.pdf", "noise.bin", "empty.txt"]) {
      const { status, out } = await cli.run(["fetch", name]);
      assert.equal(status, 0, name);
      assert.match(out, /artifact_ref=af_/);
    }
  });

  test("is 1 if neither text nor bytes could be had, and if one of several sources fails", async () => {
    await using cli = await openCli();
    await cli.write("broken.pdf", "%PDF-1.4 garbage");
    await cli.write("a.txt", "heron");
    const noStore = { env: { SPILLWAY_HOME: "/proc/nowhere" } };
    assert.equal((await cli.run(["fetch", "broken.pdf"], noStore)).status, 1);
    assert.equal((await cli.run(["fetch", "a.txt"], noStore)).status, 0, "the text was answered");
    assert.equal((await cli.run(["fetch", "gone.txt", "a.txt"])).status, 1);
  });
});

describe("options of every command", () => {
  test("may come before the command", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "word ".repeat(1_000));
    const before = await cli.run(["--set", "fit.inline_chars=1000", "--json", "fetch", "a.txt"]);
    assert.equal(before.status, 0, before.err);
    assert.equal(JSON.parse(before.out).limit_chars, 1_000);
    assert.equal((await cli.run(["--set=fit.inline_chars=1000", "fetch", "a.txt"])).status, 0);
  });

  test("without a command show the help or say what is missing", async () => {
    await using cli = await openCli();
    for (const argv of [["--set", "run=a"], ["--set"], ["--set", "run=a", "nonsense"]]) {
      const { status, err } = await cli.run(argv);
      assert.equal(status, 2, argv.join(" "));
      assert.match(err, /There is no command/);
    }
  });
});
