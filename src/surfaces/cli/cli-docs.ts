/** Writes docs/cli.md from the table of commands. */
import { commands } from "./commands.ts";
import { renderCommandHelp, renderOverview } from "./help.ts";

/** The page as Markdown: the overview, then the help of every command. */
export async function renderCommandsMarkdown(): Promise<string> {
  const sections = await Promise.all(
    commands.map(async ({ name, load }) => `## ${name}\n\n${fence(renderCommandHelp(await load()))}`),
  );
  const overview = `\`\`\`console run\n$ spillway help\n${renderOverview(commands).trimEnd()}\n\`\`\`\n`;
  return `# The command line\n\n[Start on the command line](start-cli.md) shows them at work.\n\n${overview}\n${sections.join("\n")}`;
}

const fence = (text: string): string => `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
