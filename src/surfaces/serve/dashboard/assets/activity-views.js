/** The views of what happened: overview, clients, index jobs and wrapped servers. */
/** @import { ClientUsage, LargestReply, Me, UsageCounts, ViewContext } from "../view-data.ts" */
import { makeDayChart } from "./charts.js";
import { fillDays } from "./days.js";
import { make, makeEmpty, makeName, makeTable, makeTiles } from "./elements.js";
import { formatNumber, formatShare, formatSize, formatTime } from "./formats.js";

/**
 * What was kept out of context and what it cost, over time.
 * @param {ViewContext} context
 */
export async function showOverview({ load, range, me }) {
  const { groups } = await load("usage", new URLSearchParams([["by", "day"], ...range]));
  if (groups.length === 0) return makeStart(me);
  const { groups: tools } = await load("usage", new URLSearchParams([["by", "tool"], ...range]));
  /** @param {keyof UsageCounts} name */
  const sum = (name) => groups.reduce((total, { usage }) => total + usage[name], 0);
  const days = fillDays(groups, range, (name, [known]) => ({
    name,
    keptOut: known?.usage.chars_kept_out ?? 0,
    readAgain: known?.usage.read_chars ?? 0,
  }));
  return [
    makeTiles([
      ["Characters kept out of context", formatNumber(sum("chars_kept_out"))],
      ["Characters read again", formatNumber(sum("read_chars"))],
      ["Replies", formatNumber(sum("replies"))],
      ["Truncated answers", formatShare(sum("truncated"), sum("answers"))],
      ["Bytes fetched", formatSize(sum("bytes_in"))],
      ["Cache hits", formatNumber(sum("cache_hits"))],
      ["Tokens saved by recovery", formatNumber(sum("tokens_saved"))],
      ["Artifacts", `${formatNumber(me.artifacts)}, ${formatSize(me.bytes)}`],
    ]),
    makeDayChart("Kept out of context and read again", days, [
      { label: "Characters kept out of context", count: ({ keptOut }) => keptOut },
      { label: "Characters read again", count: ({ readAgain }) => readAgain },
    ]),
    makeTable(
      "Tools",
      [
        { label: "Tool", isName: true, isHeading: true, cell: ({ name }) => makeName(name || "(no tool)") },
        { label: "Replies", isNumber: true, cell: ({ usage }) => formatNumber(usage.replies) },
        { label: "Errors", isNumber: true, cell: ({ usage }) => formatNumber(usage.errors) },
        { label: "Characters out", isNumber: true, cell: ({ usage }) => formatNumber(usage.chars_out) },
        { label: "Kept out", isNumber: true, cell: ({ usage }) => formatNumber(usage.chars_kept_out) },
        { label: "Time per reply", isNumber: true, cell: ({ usage }) => formatPace(usage) },
      ],
      tools.filter(({ usage }) => usage.replies > 0),
    ),
  ];
}

/** @param {UsageCounts} usage */
const formatPace = ({ duration_ms, replies }) =>
  duration_ms === 0 ? "–" : `${formatNumber(duration_ms / replies)} ms`;

/** @param {Me} me */
function makeStart({ mcpUrl }) {
  return [
    makeEmpty("Nothing was counted in this time. Connect a client:", [
      `claude mcp add --transport http spillway ${mcpUrl} --header "Authorization: Bearer YOUR_TOKEN"`,
    ]),
    makeEmpty("Then ask it for something long:", [
      "Fetch https://en.wikipedia.org/wiki/Weir and tell me what a piano key weir is.",
    ]),
    makeEmpty("Or, on this machine:", ["spillway fetch https://en.wikipedia.org/wiki/Weir"]),
  ];
}

/**
 * The size of each client's replies against what they may have.
 * @param {ViewContext} context
 */
export async function showClients({ load, range }) {
  const clients = (await load("clients", range)).clients.filter(({ usage }) => usage.replies > 0);
  if (clients.length === 0) return [makeEmpty("No client has asked for anything in this time.", [])];
  return [
    makeTable(
      "Replies of each client against its limit",
      [
        { label: "Client", isName: true, isHeading: true, cell: ({ name }) => nameClient(name) },
        { label: "Replies", isNumber: true, cell: ({ usage }) => formatNumber(usage.replies) },
        { label: "Characters per reply", isNumber: true, cell: ({ usage }) => formatAverage(usage, "chars_out") },
        { label: "Allowed per reply", isNumber: true, cell: ({ usage }) => formatAverage(usage, "chars_allowed") },
        { label: "Of the limit", cell: (client) => makeMeter(client) },
        { label: "Truncated", isNumber: true, cell: ({ usage }) => formatShare(usage.truncated, usage.answers) },
        { label: "Largest reply", cell: ({ largest }) => describeLargest(largest) },
      ],
      clients,
    ),
    make("p", { class: "soft" }, "The limit is for content; our own words add at most 600 characters to a reply."),
  ];
}

/** @param {string} name */
const nameClient = (name) => (name === "" ? "(none: command line or library)" : makeName(name));

/**
 * @param {UsageCounts} usage
 * @param {"chars_out" | "chars_allowed"} name
 */
const formatAverage = (usage, name) => (usage.replies === 0 ? "–" : formatNumber(usage[name] / usage.replies));

/** @param {ClientUsage} client */
function makeMeter({ usage: { chars_out, chars_allowed }, name }) {
  if (chars_allowed === 0) return "–";
  const share = formatShare(chars_out, chars_allowed);
  const label = `${name || "no client"}: ${share} of the limit`;
  return [make("meter", { min: 0, max: 1, value: chars_out / chars_allowed, "aria-label": label }), ` ${share}`];
}

/** @param {LargestReply | null} largest */
function describeLargest(largest) {
  if (largest === null) return "–";
  const { largest: chars, largest_limit: limit, tool, kind } = largest;
  return [`${formatNumber(chars)} characters, limit ${formatNumber(limit)} (`, makeName(tool), `, bound by ${kind})`];
}

/**
 * Runs of the code indexer.
 * @param {ViewContext} context
 */
export async function showJobs({ load }) {
  const { jobs } = await load("jobs");
  if (jobs.length === 0) return [makeEmpty("No folder was indexed yet.", ["spillway index"])];
  return [
    makeTable(
      "Index jobs, the latest first",
      [
        { label: "Started", isTime: true, cell: ({ started_at }) => formatTime(started_at) },
        { label: "Folder", isName: true, isHeading: true, cell: ({ repository_path }) => makeName(repository_path) },
        { label: "Status", cell: ({ status, error }) => describeStatus(status, error) },
        { label: "Progress", cell: ({ progress, repository_path }) => makeProgress(progress, repository_path) },
        {
          label: "Files",
          isNumber: true,
          cell: ({ files_done, files_total }) => `${formatNumber(files_done)} / ${formatNumber(files_total)}`,
        },
        { label: "Skipped", isNumber: true, cell: ({ files_skipped }) => formatNumber(files_skipped) },
      ],
      jobs,
    ),
  ];
}

/** @type {Readonly<Record<string, string>>} */
const statusClasses = { completed: "good", failed: "bad" };

/**
 * @param {string} status
 * @param {string | null} error
 */
const describeStatus = (status, error) => make("span", { class: statusClasses[status] }, error ?? status);

/**
 * @param {number} progress
 * @param {string} folder
 */
function makeProgress(progress, folder) {
  const share = formatShare(progress, 1);
  return [make("progress", { max: 1, value: progress, "aria-label": `${folder}: ${share}` }), ` ${share}`];
}

/**
 * Wrapped servers, with their largest results.
 * @param {ViewContext} context
 */
export async function showServers({ load, range }) {
  const { servers } = await load("servers", range);
  if (servers.length === 0)
    return [
      makeEmpty("No result of a wrapped server was too large in this time. Wrap the servers of your clients:", [
        "spillway wrap",
      ]),
    ];
  return [
    makeTable(
      "Wrapped servers, the largest result first",
      [
        { label: "Server", isName: true, isHeading: true, cell: ({ server }) => makeName(server) },
        { label: "Tool", isName: true, cell: ({ tool }) => makeName(tool) },
        { label: "Largest result", isNumber: true, cell: ({ maxChars }) => `${formatNumber(maxChars)} characters` },
        { label: "Limit", isNumber: true, cell: ({ limitChars }) => formatNumber(limitChars) },
        { label: "Results cut", isNumber: true, cell: ({ count }) => formatNumber(count) },
      ],
      servers,
    ),
  ];
}
