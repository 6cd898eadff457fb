/** Commands for spawn: as they are, or through Windows' command processor for batch files. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toSpawnCommand } from "./spawn-command.ts";

const files = new Set(["C:\\node\\npx.cmd", "C:\\tools\\server.exe", "C:\\my tools\\run.bat"]);
const windows = {
  env: { Path: "C:\\tools;C:\\node", ComSpec: "C:\\Windows\\cmd.exe" },
  platform: "win32" as const,
  exists: (path: string) => files.has(path),
};

test("a program is started as it is, on Windows and elsewhere", () => {
  const plain = { file: "server", args: ["a b"] };
  assert.deepEqual(toSpawnCommand("server", ["a b"], windows), plain);
  assert.deepEqual(toSpawnCommand("server", ["a b"], { ...windows, platform: "linux" }), plain);
  assert.deepEqual(toSpawnCommand("nowhere", [], windows), { file: "nowhere", args: [] });
});

test("a batch file is started by the command processor, which acts on nothing in its arguments", () => {
  assert.deepEqual(toSpawnCommand("npx", ["-y", "a&b"], windows), {
    file: "C:\\Windows\\cmd.exe",
    args: ["/d", "/s", "/c", '"C:\\node\\npx.cmd ^^^"-y^^^" ^^^"a^^^&b^^^""'],
    windowsVerbatimArguments: true,
  });
  const [, , , line = ""] = toSpawnCommand("C:\\my tools\\run", ['say "hi"\\', "%PATH%\n& del"], windows).args;
  assert.equal(line, '"C:\\my^ tools\\run.bat ^^^"say^^^ \\^^^"hi\\^^^"\\\\^^^" ^^^"^^^%PATH^^^%^^^ ^^^&^^^ del^^^""');
});
