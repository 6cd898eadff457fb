/** `spillway gateway --changes` and `--accept`: definitions of tools that a server has changed. */
import { SpillwayError } from "../../errors.ts";
import { formatCount } from "../../system/quantities.ts";
import { clip } from "../../system/safe-names.ts";
import { findPinFolder } from "../gateway/open-gateway.ts";
import { acceptChanges, type HeldChange, listHeldChanges } from "../gateway/tools/tool-pins.ts";
import type { Call } from "./command.ts";
import { toJsonLine } from "./output.ts";

/** Prints definitions of tools that have changed and are held back. */
export async function listChangedDefinitions(call: Call): Promise<number> {
  const folder = findPinFolder(await call.session());
  const changes = folder === null ? [] : listHeldChanges(folder);
  if (call.json) await call.terminal.out(toJsonLine(changes));
  else if (changes.length === 0) await call.terminal.out("No changed definition is held back.\n");
  else for (const change of changes) await call.terminal.out(formatChange(change));
  return 0;
}

const formatChange = ({ server, tool, before, after }: HeldChange): string =>
  [`${server}: ${tool}`, `  was: ${clip(before, SHOWN_CHARS)}`, `  now: ${clip(after, SHOWN_CHARS)}`, ""].join("\n");

const SHOWN_CHARS = 2_000;

/** Accepts what a server has changed. */
export async function acceptDefinitions(call: Call, server: string): Promise<number> {
  const folder = findPinFolder(await call.session());
  const count = folder === null ? 0 : acceptChanges(folder, server, (sentence) => call.terminal.note(`${sentence}\n`));
  if (count === 0)
    throw new SpillwayError("usage", `Nothing of ${JSON.stringify(clip(server))} is held back.`, {
      hint: "spillway gateway --changes lists what is.",
    });
  await call.terminal.out(`Accepted ${formatCount(count, "definition")} of ${clip(server)}.\n`);
  return 0;
}
