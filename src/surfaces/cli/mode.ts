/** The option `--mode`, shared by the commands that show text. */
import { SpillwayError } from "../../errors.ts";
import { type Mode, modes } from "../../extract/handler.ts";
import type { Call, OptionRow } from "./command.ts";
import { textOption } from "./each.ts";

export const modeRow: OptionRow = {
  type: "string",
  value: modes.join("|"),
  about: "How the text is written: markdown (default), text, or raw source.",
};

export function modeOption(call: Call): Mode {
  const text = textOption(call, "mode") ?? "markdown";
  const mode = modes.find((known) => known === text);
  if (mode) return mode;
  throw new SpillwayError("usage", `There is no mode ${JSON.stringify(text)}.`, {
    hint: `Modes: ${modes.join(", ")}.`,
  });
}
