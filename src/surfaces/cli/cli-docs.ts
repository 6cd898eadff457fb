/** Describes the commands as the Markdown of docs/cli.md. */
import { commands } from "./commands.ts";
import { commandHelp, overview } from "./help.ts";

export async function commandsMarkdown(): Promise<string> {
  const sections = await Promise.all(
    commands.map(async ({ name, load }) => `## ${name}\n\n${fenced(commandHelp(await load()))}`),
  );
  return `# The command line\n\n${fenced(overview())}\n${sections.join("\n")}`;
}

const fenced = (text: string): string => `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
