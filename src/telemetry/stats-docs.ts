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
rotated and kept for a limited number of runs, and because a year of them would take minutes: with rows, a year of 60 combinations of
client and tool a day takes less than 0.1 s. Runs are kept apart for 31 days, then their rows are added to those of their day. Days are
kept for 400 days. A store that cannot be written costs the counts of that time and no reply. With a team store, all
machines of an owner count into the same rows; \`spillway store migrate\` takes them along.

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
