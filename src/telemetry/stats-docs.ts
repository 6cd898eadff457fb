/** Renders the counts of usage and the metrics as docs/stats.md. */
import { createMetrics } from "./metrics.ts";
import { usageCounts } from "./usage.ts";

export function statsMarkdown(): string {
  const counts = Object.entries(usageCounts).map(([name, about]) => `| \`${name}\` | ${about} |`);
  return `${opening}${counts.join("\n")}\n${metricsOpening}${listMetrics().join("\n")}\n`;
}

/** A row for each metric, from its own text. */
function listMetrics(): string[] {
  const text = createMetrics().prometheus();
  const heads = text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm);
  return [...heads].map(([, name, about, type]) => `| \`${name}\` | ${type} | ${about} |`);
}

const opening = `# Stats and metrics

\`\`\`sh
spillway stats                    # the last 30 days, day by day
spillway stats --by tool          # or run, client
spillway stats --days 365 --json  # every count, one line of JSON for each day
spillway stats --outcomes         # how sources were treated, what became of requests that were too large
spillway events --follow          # what happens now, in all runs, until Ctrl-C
\`\`\`

\`\`\`console run
$ spillway fetch server.log --max-chars 100
...
$ spillway stats
day         replies  truncated  fetched  chars out  kept out  read again  tokens saved
...        1      100 %   489 KB        100   488,657           0             0

488,657 characters kept out of context; 0 reads brought 0 of them back. The cache answered 0 fetches.
\`\`\`

Every session adds up its [events](events.md) while it works and writes the sums to the catalogue, some seconds later and when it
ends: one row for each day (UTC), run, client and tool. \`stats\` sums those rows. It does not read event logs, because these are
rotated and kept for a limited number of runs, and because a year of them takes long: with rows, a year of 365,000 events is added up in
a few milliseconds. Runs are kept apart for 31 days, then their rows are added to those of their day. Days are kept for 400 days. With a
team store, all machines of an owner count into the same rows; \`spillway store migrate\` takes them along.

Until they are in the catalogue, sums are in a file below \`usage/\` in the data folder, written before the events are logged. If a process
is killed, the next \`stats\` or view of the dashboard adds its file. Each is added once, whatever is killed in between and however many
processes look.

\`spillway stats --outcomes\` shows how things ended, for the whole time or by day, run, client or tool: as what sources were treated and which
signal decided it, what became of requests that were too large and by how much they shrank, and what bound replies.

A tool call is one reply, whatever it fetched and read. Its client is empty where none is known, on the command line and in the
library; its tool is empty outside a tool call. Results of wrapped servers count where they had to be cut, under \`server: tool\`.

| count | meaning |
| --- | --- |
`;

const metricsOpening = `
## Metrics

The counters of one process since its start, in the Prometheus text format: the resource \`metrics://prometheus\` of
[\`spillway mcp\`](mcp.md), the path \`/metrics\` of [\`spillway serve\`](serve.md), and \`metrics\` of the library.
A collector gets them too, where one is configured ([OpenTelemetry](opentelemetry.md)).

| metric | type | meaning |
| --- | --- | --- |
`;
