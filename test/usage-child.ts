/** A process that emits events until it is killed, or a number of them. It says how many before each. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { defaultSettings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";

const [home = "", run = "", count = "0"] = process.argv.slice(2);
const session = await openSession({ settings: { ...defaultSettings, home, run }, cwd: home });
for (let emitted = 1; emitted <= (Number(count) || Number.POSITIVE_INFINITY); emitted++) {
  process.stdout.write(`${emitted}\n`);
  session.emit({
    ...{ event: "gateway.bounded", server: "files", tool: "list", client: "codex", total_chars: emitted },
    ...{ returned_chars: 1, limit_chars: 2, bound: "client" },
  });
  await nextTurn();
}
await session[Symbol.asyncDispose]();
