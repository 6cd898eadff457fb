/** `spillway completion`: prints the script that completes commands and options in a shell. */
import { SpillwayError } from "../../../errors.ts";
import { clip } from "../../../system/safe-names.ts";
import { checkArguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { completionScript, shells } from "../completion.ts";

export const completionCommand: Command = {
  usage: `completion ${shells.join("|")}`,
  about: "Prints a script that completes commands, options and their values when you press Tab.",
  examples: [
    ['eval "$(spillway completion bash)"', "in ~/.bashrc"],
    ['eval "$(spillway completion zsh)"', "in ~/.zshrc, after compinit"],
    ["completion fish > ~/.config/fish/completions/spillway.fish", "once"],
  ],
  words: shells,
  options: {},
  async run(call) {
    checkArguments(1, call);
    const [name] = call.args;
    const shell = shells.find((candidate) => candidate === name);
    if (shell === undefined) {
      const sentence =
        name === undefined ? "No shell was named." : `There is no script for ${JSON.stringify(clip(name))}.`;
      throw new SpillwayError("usage", sentence, { hint: `Shells: ${shells.join(", ")}.` });
    }
    await call.terminal.out(await completionScript(shell, call.commands));
    return 0;
  },
};
