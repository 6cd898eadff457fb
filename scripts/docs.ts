/**
 * Writes the generated files of docs/: settings and their schema, events, stats, commands, tools, MCP clients, where they keep
 * their configs, figures of benches, and the API. `npm run docs -- site [folder]` makes a web site of all pages.
 */
import { writeFileSync } from "node:fs";
import { settingsMarkdown, settingsSchema } from "../src/config/settings-docs.ts";
import { renderCommandsMarkdown } from "../src/surfaces/cli/cli-docs.ts";
import { renderInstallMarkdown } from "../src/surfaces/clients/install-docs.ts";
import { renderMcpMarkdown } from "../src/surfaces/mcp/mcp-docs.ts";
import { eventsMarkdown } from "../src/telemetry/events-docs.ts";
import { statsMarkdown } from "../src/telemetry/stats-docs.ts";
import { toolsMarkdown } from "../src/tools/tools-docs.ts";
import { renderApiPage } from "./api-page.ts";
import { renderBenchmarksPage } from "./benchmarks-page.ts";
import { renderMeasuredClients } from "./measured-clients.ts";
import { renderReadme } from "./measured-recovery.ts";

/** The generated files by name. A test checks that the committed files are the same. */
export async function renderDocFiles(): Promise<Readonly<Record<string, string>>> {
  return {
    "settings.md": settingsMarkdown(),
    "config.schema.json": `${JSON.stringify(settingsSchema(), null, 2)}\n`,
    "events.md": eventsMarkdown(),
    "stats.md": statsMarkdown(),
    "cli.md": await renderCommandsMarkdown(),
    "tools.md": toolsMarkdown(),
    "mcp.md": renderMcpMarkdown() + (await renderMeasuredClients()),
    "install.md": renderInstallMarkdown(),
    "benchmarks.md": await renderBenchmarksPage(),
    "api.md": await renderApiPage(),
  };
}

if (import.meta.main) {
  const [action, folder = "site"] = process.argv.slice(2);
  if (action === "site") {
    const { buildSite } = await import("./site/build-site.ts");
    const pages = await buildSite(folder);
    console.error(`${pages.length} pages in ${folder}; open ${folder}/index.html`);
  } else await writeDocFiles();
}

async function writeDocFiles(): Promise<void> {
  writeFileSync(new URL("../README.md", import.meta.url), await renderReadme());
  for (const [name, text] of Object.entries(await renderDocFiles())) {
    writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
    console.error(`docs/${name}`);
  }
}
