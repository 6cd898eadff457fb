/** The views of outcomes: why sources were treated as they were, and what became of requests that were too large. */
/** @import { CompletedEvent, DecisionEvent, OutcomeSum, OverflowEvent, ViewContext } from "../view-data.ts" */
import { makeDayChart } from "./charts.js";
import { fillDays } from "./days.js";
import { make, makeEmpty, makeName, makeTable, makeTiles } from "./elements.js";
import { formatNumber, formatSize, formatTime } from "./formats.js";

const MAX_SHOWN = 200;

/**
 * Why each source was treated as it was: sums of the chosen time, and the latest sources of this machine.
 * @param {ViewContext} context
 */
export async function showDecisions({ load, range }) {
  const { sums, events, names } = await load("decisions", range);
  if (sums.length + events.length === 0)
    return [makeEmpty("No source was fetched in this time.", ["spillway fetch report.pdf"])];
  return [sums.length === 0 ? null : makeSums(sums), makeLatest(events, names)];
}

/** @param {readonly OutcomeSum[]} sums */
const makeSums = (sums) =>
  makeTable(
    "How sources were treated, and what decided it",
    [
      { label: "Treated as", isName: true, isHeading: true, cell: (sum) => describeTreatment(sum) },
      { label: "Because of", cell: ({ event, reason }) => (event === "ingest.failed" ? "–" : nameSignal(reason)) },
      { label: "Sources", isNumber: true, cell: ({ count }) => formatNumber(count) },
      { label: "Size in all", isNumber: true, cell: (sum) => (isFailed(sum) ? "–" : formatSize(sum.bytes_before)) },
    ],
    sums,
  );

/** @param {{ readonly event: string }} each */
const isFailed = ({ event }) => event === "ingest.failed";

/** @param {OutcomeSum} sum */
const describeTreatment = (sum) => (isFailed(sum) ? make("span", { class: "bad" }, `failed: ${sum.reason}`) : sum.kind);

/**
 * @param {readonly (DecisionEvent | CompletedEvent)[]} events
 * @param {Readonly<Record<string, string>>} names
 */
function makeLatest(events, names) {
  const completed = new Map(events.flatMap((event) => (isCompleted(event) ? [[event.artifact_ref, event]] : [])));
  const rows = events.flatMap((event) => (isCompleted(event) ? [] : [event])).slice(0, MAX_SHOWN);
  if (rows.length === 0) return make("p", { class: "soft" }, "This machine has logged none of these sources.");
  return makeTable(
    "Latest decisions: why was this treated as binary, as a page, as text?",
    [
      { label: "Time", isTime: true, cell: ({ at }) => formatTime(at) },
      { label: "Source", isName: true, isHeading: true, cell: (event) => describeSource(event, names) },
      { label: "Treated as", isName: true, cell: (event) => describeKind(event) },
      { label: "Because", cell: (event) => explainDecision(event) },
      { label: "Read by", cell: (event) => describeHandler(completed.get(refOf(event))) },
      { label: "Size", isNumber: true, cell: (event) => ("size_bytes" in event ? formatSize(event.size_bytes) : "–") },
    ],
    rows,
  );
}

/**
 * @param {DecisionEvent | CompletedEvent} event
 * @returns {event is CompletedEvent}
 */
const isCompleted = (event) => event.event === "ingest.completed";

/** @param {DecisionEvent} event */
const refOf = (event) => ("artifact_ref" in event ? event.artifact_ref : null);

/**
 * @param {DecisionEvent} event
 * @param {Readonly<Record<string, string>>} names
 */
function describeSource(event, names) {
  const name = names[refOf(event) ?? ""];
  return makeName(name === undefined || name === event.source ? event.source : `${name} from ${event.source}`);
}

/** @param {DecisionEvent} event */
const describeKind = (event) =>
  event.event === "ingest.failed"
    ? make("span", { class: "bad" }, `failed: ${event.code}`)
    : `${event.content_kind} (${event.media_type})`;

/** @type {Readonly<Record<string, string>>} */
const signalNames = {
  mime: "the server's header",
  magic: "its first bytes",
  extension: "its name",
  content: "its content",
  fallback: "nothing else: no signal was sure",
};

/** @param {string} signal */
const nameSignal = (signal) => signalNames[signal] ?? signal;

/**
 * `its first bytes (application/pdf). The header said text/plain, but the bytes are application/pdf.`
 * @param {DecisionEvent} event
 */
function explainDecision(event) {
  if (event.event === "ingest.failed") return "–";
  const { decided_by } = event;
  const signals = Object.entries(/** @type {Readonly<Record<string, unknown>>} */ (event.signals));
  const notes = signals.flatMap(([name, value]) => (name === "notes" && Array.isArray(value) ? value.map(String) : []));
  const found = new Map(signals.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
  const own = found.get(decided_by);
  const reason = `${nameSignal(decided_by)}${own === undefined ? "" : ` (${own})`}`;
  if (notes.length > 0) return `${reason}. ${notes.join(" ")}`;
  const others = [...found].flatMap(([name, value]) =>
    name === decided_by ? [] : [`${nameSignal(name)} said ${value}`],
  );
  return [reason, ...others].join("; ");
}

/** @param {CompletedEvent | undefined} completed */
function describeHandler(completed) {
  if (completed === undefined) return "–";
  const { handler, error, returned_chars, extracted_chars } = completed;
  const problem = error === null ? "" : `: ${error}`;
  return `${handler}${problem}, ${formatNumber(returned_chars)} of ${formatNumber(extracted_chars)} characters returned`;
}

/**
 * What became of requests that were too large: sums and days of the chosen time, and the latest of this machine.
 * @param {ViewContext} context
 */
export async function showOverflow({ load, range }) {
  const { days, events } = await load("overflows", range);
  if (days.length + events.length === 0)
    return [
      makeEmpty("No request was too large in this time. Put the proxy in front of a client:", [
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
  return [
    days.length === 0 ? null : makeOverflowSums(days, range),
    make("h3", {}, "Latest on this machine"),
    items.length === 0 ? make("p", { class: "soft" }, "It has logged none of these requests.") : null,
    make("ol", { class: "timeline", "aria-label": "Overflow, the latest first" }, items),
  ];
}

/**
 * @param {readonly OutcomeSum[]} days
 * @param {URLSearchParams} range
 */
function makeOverflowSums(days, range) {
  /** @param {string} event */
  const count = (event) => countOf(days, event);
  const shrunk = days.filter(({ event }) => event === "overflow.recovered" || event === "overflow.repeated");
  const saved = shrunk.reduce((total, { bytes_before, bytes_after }) => total + bytes_before - bytes_after, 0);
  const filled = fillDays(days, range, (name, known) => ({
    name,
    recovered: countOf(known, "overflow.recovered"),
    failed: countOf(known, "overflow.failed"),
  }));
  return [
    makeTiles([
      ["Refused for their size", formatNumber(count("overflow.classified"))],
      ["Made smaller and answered", formatNumber(count("overflow.recovered"))],
      ["Sent with earlier stubs", formatNumber(count("overflow.repeated"))],
      ["Stayed too large", formatNumber(count("overflow.failed"))],
      ["Passed on unchanged", formatNumber(count("overflow.skipped"))],
      ["Bytes not sent", formatSize(Math.max(0, saved))],
    ]),
    makeDayChart("Requests that were too large", filled, [
      { label: "Made smaller and answered", count: ({ recovered }) => recovered },
      { label: "Stayed too large", count: ({ failed }) => failed },
    ]),
  ];
}

/**
 * @param {readonly OutcomeSum[]} sums
 * @param {string} name
 */
const countOf = (sums, name) => sums.reduce((total, { event, count }) => total + (event === name ? count : 0), 0);

/** @param {OverflowEvent} event */
function describeOverflow(event) {
  const { dialect } = event;
  switch (event.event) {
    case "overflow.classified":
      return `${dialect}: refused, ${event.class}${event.limit === null ? "" : `, limit ${formatNumber(event.limit)} ${event.unit ?? ""}`}`;
    case "overflow.recovered":
      return `${dialect}: made smaller from ${describeSizes(event)} and answered; set aside: ${event.stubs.join(", ") || "nothing, only the output limit was lowered"}`;
    case "overflow.repeated":
      return `${dialect}: sent with ${event.stubs} earlier stubs, ${describeSizes(event)}`;
    case "overflow.failed":
      return `${dialect}: stays too large (${event.reason}) after ${countAttempts(event.attempts)}, ${describeSizes(event)}`;
    default:
      return `${dialect}: refusal passed on unchanged (${event.reason})`;
  }
}

/** @param {number} count */
const countAttempts = (count) => (count === 1 ? "1 attempt" : `${count} attempts`);

/** @param {{ readonly bytes_before: number, readonly bytes_after: number }} event */
const describeSizes = ({ bytes_before, bytes_after }) => `${formatSize(bytes_before)} to ${formatSize(bytes_after)}`;
