/** Renders the closed list of events as docs/events.md. */
import { eventRows } from "./events.ts";

export function eventsMarkdown(): string {
  const sections = Object.entries(eventRows).map(([name, { about, fields }]) => {
    const rows = Object.entries(fields).map(([field, meaning]) => `| \`${field}\` | ${meaning} |`);
    return `## \`${name}\`\n\n${about}\n\n| field | meaning |\n|---|---|\n${rows.join("\n")}\n`;
  });
  return `${opening}\n${sections.join("\n")}`;
}

const opening = `# Events

Every run writes its decisions as JSON lines to \`events/\` in the store's folder, one file per run. \`spillway events\` prints
them. The list is closed: no other event exists. An event never contains document text, a URL's path or query, search text or
credentials. Each line begins with \`at\` (UTC), \`run\` and \`event\`.
`;
