/** Writes the files of docs/ that are made from tables: settings, their schema, events, commands, tools and clients. */
import { writeFileSync } from "node:fs";
import { settingsMarkdown, settingsSchema } from "../src/config/settings-docs.ts";
import { renderCommandsMarkdown } from "../src/surfaces/cli/cli-docs.ts";
import { renderMcpMarkdown } from "../src/surfaces/mcp/mcp-docs.ts";
import { eventsMarkdown } from "../src/telemetry/events-docs.ts";
import { toolsMarkdown } from "../src/tools/tools-docs.ts";

/** The generated files by their name in docs/; a test keeps what is committed the same as this. */
export async function docFiles(): Promise<Readonly<Record<string, string>>> {
  return {
    "settings.md": settingsMarkdown(),
    "config.schema.json": `${JSON.stringify(settingsSchema(), null, 2)}\n`,
    "events.md": eventsMarkdown(),
    "cli.md": await renderCommandsMarkdown(),
    "tools.md": toolsMarkdown(),
    "mcp.md": renderMcpMarkdown(),
  };
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(await docFiles())) {
    writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
    console.error(`docs/${name}`);
  }
}
