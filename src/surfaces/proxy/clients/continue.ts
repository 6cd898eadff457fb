/** Continue's CLI takes the addresses of its models from a config file: it gets a copy of the user's with other addresses. */
import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { SpillwayError } from "../../../errors.ts";
import type { Launcher, ProxyUrls } from "./launcher.ts";

export const continueLauncher: Launcher = {
  name: "cn",
  title: "Continue",
  source: "docs.continue.dev: cn --config FILE; apiBase of a model",
  async prepare(urls, { env, folder }) {
    const path = join(env.HOME ?? homedir(), ".continue", "config.yaml");
    const text = await readFile(path, "utf8").catch((cause: unknown) => {
      throw new SpillwayError("usage", `Continue has no config at ${path}.`, {
        hint: "Start cn once to make it, or run spillway proxy and set apiBase yourself.",
        cause,
      });
    });
    const copy = join(folder, "continue.yaml");
    await writeFile(copy, addAddresses(text, urls), { mode: 0o600 });
    return { env: {}, args: ["--config", copy] };
  },
  configLine: ({ anthropic, openai }) =>
    `~/.continue/config.yaml: apiBase: ${anthropic}/v1/ (provider anthropic), ${openai}/ (provider openai)`,
};

/** Adds the address below each model's provider. A model with an address of its own keeps it. */
export function addAddresses(yaml: string, { openai, anthropic, gemini }: ProxyUrls): string {
  const addresses: Record<string, string> = {
    openai: `${openai}/`,
    anthropic: `${anthropic}/v1/`,
    gemini: `${gemini}/v1beta/`,
  };
  const blocks = yaml.split(/(?=^\s*- )/m);
  return blocks
    .map((block) => {
      if (/^\s*(?:- )?apiBase:/m.test(block)) return block;
      return block.replace(
        /^(\s*)(- )?provider: *["']?(openai|anthropic|gemini)["']? *$/m,
        (line, indent, dash, name) => {
          const column = " ".repeat(indent.length + (dash ?? "").length);
          return `${line}\n${column.replace(/^\n/, "")}apiBase: ${addresses[name]}`;
        },
      );
    })
    .join("");
}
