/** The machine of a command, as clients see it. */
import { homeFolder } from "../../config/paths.ts";
import { SpillwayError } from "../../errors.ts";
import type { ClientMachine } from "../clients/client.ts";
import type { Terminal } from "./command.ts";

/** The machine as clients see it. */
export function readMachine({ env, cwd }: Pick<Terminal, "env" | "cwd">): ClientMachine {
  const { platform } = process;
  const home = homeFolder(env, platform);
  if (home !== undefined) return { env, platform, home, cwd };
  throw new SpillwayError("usage", "This user has no home folder, where clients keep their configs.", {
    hint: "Set HOME to the folder of the user whose clients you mean.",
  });
}
