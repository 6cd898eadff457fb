/** The formats of config files by name. Each brings a parser, which is loaded with it and not before. */
import type { ConfigFormat } from "./config-format.ts";

export type FormatName = "JSON" | "TOML" | "YAML";

export async function loadFormat(name: FormatName): Promise<ConfigFormat> {
  if (name === "JSON") return (await import("./json-format.ts")).jsonFormat;
  if (name === "TOML") return (await import("./toml-format.ts")).tomlFormat;
  return (await import("./yaml-format.ts")).yamlFormat;
}
