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

\`\`\`console run
$ spillway fetch handbook.md --max-chars 100 --set run=tour
...
$ spillway events tour
...  ingest.classified  artifact_ref=af_5b6d1c7e0f9a4c2d8e3b7a6f5d4c3b2a source=handbook.md content_kind=text media_type=text/markdown decided_by=extension ...
...  ingest.completed  artifact_ref=af_5b6d1c7e0f9a4c2d8e3b7a6f5d4c3b2a content_kind=text handler=text size_bytes=2079 extracted_chars=2079 returned_chars=100 ...
...  run.summary  bytes_in=2079 chars_extracted=2079 chars_out=100 replies=1 truncations=1 utilization_avg=1
\`\`\`
`;
