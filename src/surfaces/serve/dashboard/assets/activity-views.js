/** The views of what happened: overview, clients, decisions, overflow, index jobs and wrapped servers. */
import { makeDayChart } from "./charts.js";
import { make, makeEmpty, makeName, makeTable, makeTiles } from "./elements.js";
import { formatNumber, formatShare, formatSize, formatTime } from "./formats.js";

/** What was kept out of context and what it cost, over time. */
export async function showOverview({ load, range, me }) {
  const { groups } = await load(`usage?by=day&${range}`);
  if (groups.length === 0) return [makeStart(me)];
  const sum = (name) => groups.reduce((total, { usage }) => total + usage[name], 0);
  const tools = (await load(`usage?by=tool&${range}`)).groups;
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
    makeDayChart("Kept out of context and read again", fillDays(groups, range.get("days")), [
      { label: "Characters kept out of context", count: ({ chars_kept_out }) => chars_kept_out },
      { label: "Characters read again", count: ({ read_chars }) => read_chars },
    ]),
    makeTable(
      "Tools",
      [
        { label: "Tool", isName: true, cell: ({ name }) => makeName(name || "(no tool)") },
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

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A day without usage has a place in the chart too. */
function fillDays(groups, count) {
  const known = new Map(groups.map((group) => [group.name, group]));
  return Array.from({ length: Number(count) }, (_, index) => {
    const name = new Date(Date.now() - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return known.get(name) ?? { name, usage: { chars_kept_out: 0, read_chars: 0 } };
  });
}

const formatPace = ({ duration_ms, replies }) => (replies === 0 ? "–" : `${formatNumber(duration_ms / replies)} ms`);

function makeStart({ mcpUrl }) {
  return makeEmpty("Nothing was counted in this time. Connect a client, then ask it to fetch something long:", [
    `claude mcp add --transport http spillway ${mcpUrl} --header "Authorization: Bearer YOUR_TOKEN"`,
    "Ask: fetch https://en.wikipedia.org/wiki/Weir and tell me what a piano key weir is",
    "On this machine: spillway fetch https://en.wikipedia.org/wiki/Weir",
  ]);
}

/** The size of each client's replies against what they may have. */
export async function showClients({ load, range }) {
  const clients = (await load(`clients?${range}`)).clients.filter(({ usage }) => usage.replies > 0);
  if (clients.length === 0) return [makeEmpty("No client has asked for anything in this time.", [])];
  return [
    makeTable(
      "Replies of each client against its limit",
      [
        { label: "Client", isName: true, cell: ({ name }) => name || "(none: command line or library)" },
        { label: "Replies", isNumber: true, cell: ({ usage }) => formatNumber(usage.replies) },
        { label: "Characters per reply", isNumber: true, cell: ({ usage }) => formatAverage(usage, "chars_out") },
        { label: "Allowed per reply", isNumber: true, cell: ({ usage }) => formatAverage(usage, "chars_allowed") },
        { label: "Of the limit", cell: ({ usage, name }) => makeMeter(usage, name) },
        { label: "Truncated", isNumber: true, cell: ({ usage }) => formatShare(usage.truncated, usage.answers) },
        { label: "Largest recent reply", cell: ({ largest }) => describeLargest(largest) },
      ],
      clients,
    ),
    make("p", { class: "soft" }, "The limit is for content; our own words add at most 600 characters to a reply."),
  ];
}

const formatAverage = (usage, name) => (usage.replies === 0 ? "–" : formatNumber(usage[name] / usage.replies));

function makeMeter({ chars_out, chars_allowed }, name) {
  if (chars_allowed === 0) return "–";
  const share = formatShare(chars_out, chars_allowed);
  const label = `${name || "no client"}: ${share} of the limit`;
  return [make("meter", { min: 0, max: 1, value: chars_out / chars_allowed, "aria-label": label }), ` ${share}`];
}

const describeLargest = (largest) =>
  largest === null
    ? "–"
    : `${formatNumber(largest.text_chars)} characters, limit ${formatNumber(largest.limit_chars)} (${largest.tool}, bound by ${largest.bound})`;

/** Why each source was treated as it was. */
export async function showDecisions({ load }) {
  const { events, names } = await load("decisions");
  const completed = new Map(
    events.filter(({ event }) => event === "ingest.completed").map((event) => [event.artifact_ref, event]),
  );
  const rows = events.filter(({ event }) => event !== "ingest.completed").slice(0, 200);
  if (rows.length === 0) return [makeEmpty("No source was fetched yet.", ["spillway fetch report.pdf"])];
  return [
    makeTable(
      "Latest decisions: why was this treated as binary, as a page, as text?",
      [
        { label: "Time", isTime: true, cell: ({ at }) => formatTime(at) },
        { label: "Source", isName: true, cell: (event) => describeSource(event, names) },
        { label: "Treated as", isName: true, cell: (event) => describeKind(event) },
        { label: "Because", cell: (event) => explainDecision(event) },
        { label: "Read by", cell: ({ artifact_ref }) => describeHandler(completed.get(artifact_ref)) },
        {
          label: "Size",
          isNumber: true,
          cell: ({ size_bytes }) => (size_bytes === undefined ? "–" : formatSize(size_bytes)),
        },
      ],
      rows,
    ),
  ];
}

const describeSource = ({ artifact_ref, source }, names) => {
  const name = names[artifact_ref];
  return makeName(name === undefined || name === source ? source : `${name} from ${source}`);
};

const describeKind = ({ event, content_kind, media_type, code }) =>
  event === "ingest.failed" ? make("span", { class: "bad" }, `failed: ${code}`) : `${content_kind} (${media_type})`;

const signalNames = {
  mime: "the server's header",
  magic: "its first bytes",
  extension: "its name",
  content: "its content",
  fallback: "nothing else: no signal was sure",
};

/** `its first bytes (application/pdf). The header said text/plain, but the bytes are application/pdf.` */
function explainDecision({ event, decided_by, signals }) {
  if (event === "ingest.failed") return "–";
  const { notes = [], ...found } = signals;
  const own = found[decided_by];
  const reason = `${signalNames[decided_by] ?? decided_by}${typeof own === "string" ? ` (${own})` : ""}`;
  if (notes.length > 0) return `${reason}. ${notes.join(" ")}`;
  const others = Object.entries(found)
    .filter(([name, value]) => name !== decided_by && typeof value === "string")
    .map(([name, value]) => `${signalNames[name] ?? name} said ${value}`);
  return [reason, ...others].join("; ");
}

const describeHandler = (completed) =>
  completed === undefined
    ? "–"
    : `${completed.handler}${completed.error === null ? "" : `: ${completed.error}`}, ${formatNumber(completed.returned_chars)} of ${formatNumber(completed.extracted_chars)} characters returned`;

/** What became of requests that were too large. */
export async function showOverflow({ load }) {
  const { events } = await load("overflows");
  if (events.length === 0)
    return [
      makeEmpty("No request was too large yet. Put the proxy in front of a client:", [
        "spillway with claude",
        "spillway proxy",
      ]),
    ];
  const items = events.map((event) =>
    make(
      "li",
      { class: event.event === "overflow.failed" ? "failed" : null },
      make("strong", {}, formatTime(event.at)),
      ` ${describeOverflow(event)}`,
    ),
  );
  return [make("ol", { class: "timeline", "aria-label": "Overflow, the latest first" }, items)];
}

function describeOverflow(event) {
  const { dialect, class: kind, stubs, reason, attempts } = event;
  const shrunk = `${formatSize(event.bytes_before ?? 0)} to ${formatSize(event.bytes_after ?? 0)}`;
  switch (event.event) {
    case "overflow.classified":
      return `${dialect}: refused, ${kind}${event.limit === null ? "" : `, limit ${formatNumber(event.limit)} ${event.unit ?? ""}`}`;
    case "overflow.recovered":
      return `${dialect}: made smaller from ${shrunk} and answered; set aside: ${stubs.join(", ") || "nothing, only the output limit was lowered"}`;
    case "overflow.repeated":
      return `${dialect}: sent with ${stubs} earlier stubs, ${shrunk}`;
    case "overflow.failed":
      return `${dialect}: stays too large (${reason}) after ${attempts} attempts, ${shrunk}`;
    default:
      return `${dialect}: refusal passed on unchanged (${reason})`;
  }
}

/** Runs of the code indexer. */
export async function showJobs({ load }) {
  const { jobs } = await load("jobs");
  if (jobs.length === 0) return [makeEmpty("No folder was indexed yet.", ["spillway index"])];
  return [
    makeTable(
      "Index jobs, the latest first",
      [
        { label: "Started", isTime: true, cell: ({ started_at }) => formatTime(started_at) },
        { label: "Folder", isName: true, cell: ({ repository_path }) => makeName(repository_path) },
        { label: "Status", cell: ({ status, error }) => describeStatus(status, error) },
        { label: "Progress", cell: (job) => makeProgress(job) },
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

const describeStatus = (status, error) =>
  make("span", { class: status === "completed" ? "good" : status === "failed" ? "bad" : null }, error ?? status);

function makeProgress({ progress, repository_path }) {
  const share = formatShare(progress, 1);
  return [make("progress", { max: 1, value: progress, "aria-label": `${repository_path}: ${share}` }), ` ${share}`];
}

/** Wrapped servers, with their largest results. */
export async function showServers({ load }) {
  const { servers } = await load("servers");
  if (servers.length === 0)
    return [
      makeEmpty("No result of a wrapped server was too large yet. Wrap the servers of your clients:", [
        "spillway wrap",
      ]),
    ];
  return [
    makeTable(
      "Wrapped servers, the largest result first",
      [
        { label: "Server", isName: true, cell: ({ server }) => makeName(server) },
        { label: "Tool", isName: true, cell: ({ tool }) => makeName(tool) },
        { label: "Largest result", isNumber: true, cell: ({ maxChars }) => `${formatNumber(maxChars)} characters` },
        { label: "Limit", isNumber: true, cell: ({ limitChars }) => formatNumber(limitChars) },
        { label: "Results cut", isNumber: true, cell: ({ count }) => formatNumber(count) },
      ],
      servers,
    ),
  ];
}
