/** Describes the commands as the Markdown of docs/cli.md. */
import { commands } from "./commands.ts";
import { renderCommandHelp, renderOverview } from "./help.ts";

export async function renderCommandsMarkdown(): Promise<string> {
  const sections = await Promise.all(
    commands.map(async ({ name, load }) => `## ${name}\n\n${fenced(renderCommandHelp(await load()))}`),
  );
  return `# The command line\n\n${fenced(renderOverview())}\n${sections.join("\n")}`;
}

const fenced = (text: string): string => `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
