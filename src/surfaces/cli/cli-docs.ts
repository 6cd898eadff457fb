/** Writes docs/cli.md from the table of commands. */
import { commands } from "./commands.ts";
import { renderCommandHelp, renderOverview } from "./help.ts";

/** The page as Markdown: the overview, then the help of every command. */
export async function renderCommandsMarkdown(): Promise<string> {
  const sections = await Promise.all(
    commands.map(async ({ name, load }) => `## ${name}\n\n${fence(renderCommandHelp(await load()))}`),
  );
  return `# The command line\n\n${fence(renderOverview(commands))}\n${sections.join("\n")}`;
}

const fence = (text: string): string => `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
