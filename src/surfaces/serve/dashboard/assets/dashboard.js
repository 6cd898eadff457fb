/** The dashboard: one view at a time, chosen by the address, renewed when something happens. */
/** @import { ViewContext, ViewData, Refusal } from "../view-data.ts" */
/** @import { Child } from "./elements.js" */
import { showClients, showJobs, showOverview, showServers } from "./activity-views.js";
import { showArtifacts } from "./content-views.js";
import { listen, make } from "./elements.js";
import { showDecisions, showOverflow } from "./outcome-views.js";

/**
 * @typedef {{
 *   title: string,
 *   show: (context: ViewContext) => Promise<readonly Child[]>,
 *   isLive?: boolean,
 *   hasRange?: boolean,
 *   hasSums?: boolean,
 * }} View
 */

/**
 * `hasRange`: days can be chosen. `hasSums`: an admin can choose all owners.
 * @satisfies {Readonly<Record<string, View>>}
 */
const views = {
  overview: { title: "Overview", show: showOverview, isLive: true, hasRange: true, hasSums: true },
  clients: { title: "Clients", show: showClients, isLive: true, hasRange: true, hasSums: true },
  decisions: { title: "Decisions", show: showDecisions, isLive: true, hasRange: true },
  overflow: { title: "Overflow", show: showOverflow, isLive: true, hasRange: true },
  jobs: { title: "Index jobs", show: showJobs, isLive: true },
  // Renewing it would take away what was typed into its search.
  artifacts: { title: "Artifacts", show: showArtifacts },
  servers: { title: "Wrapped servers", show: showServers, isLive: true, hasRange: true },
};

/** @typedef {keyof typeof views} ViewName */

/** After events, views wait this long, so that a busy owner's page asks a few times a minute. */
const RENEW_MS = 2_000;
/** Usage of other processes is written some seconds after it happened. */
const RENEW_AGAIN_MS = 7_000;
const RESIZE_MS = 300;

const main = find("view");
const tabs = find("tabs");
const controls = find("controls");
const status = find("status");
const state = { isAdmin: false, days: "30", scope: "own", shown: 0 };

/** @param {string} id */
function find(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no ${id}.`);
  return element;
}

/**
 * @param {string} text
 * @returns {text is ViewName}
 */
const isViewName = (text) => Object.hasOwn(views, text);

/** @returns {ViewName} */
function chosenName() {
  const name = location.hash.slice(1);
  return isViewName(name) ? name : "overview";
}

/** @returns {View} */
const chosenView = () => views[chosenName()];

/**
 * @template {keyof ViewData} Name
 * @param {Name} name
 * @param {URLSearchParams} [query]
 * @returns {Promise<ViewData[Name]>}
 */
async function load(name, query = new URLSearchParams()) {
  const response = await fetch(`/dashboard/api/${name}?${query}`, { headers: { accept: "application/json" } });
  const answer = await readAnswer(response);
  if (!response.ok) throw new Error(`The server answered with status ${response.status}.`);
  return /** @type {ViewData[Name]} */ (answer);
}

/**
 * @param {string} ref
 * @returns {Promise<ViewData["preview"] | Refusal>}
 */
async function preview(ref) {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ ref });
  const answer = await readAnswer(await fetch("/dashboard/api/preview", { method: "POST", headers, body }));
  return /** @type {ViewData["preview"] | Refusal} */ (answer);
}

/**
 * @param {Response} response
 * @returns {Promise<unknown>}
 */
async function readAnswer(response) {
  if (response.status === 401) location.assign("/sign-in");
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  if (!isJson || response.status >= 500) throw new Error(`The server answered with status ${response.status}.`);
  return response.json();
}

/** Shows the chosen view. Of two that overlap, the later one stays. */
async function show({ isRenewal = false } = {}) {
  const turn = ++state.shown;
  const view = chosenView();
  main.setAttribute("aria-busy", "true");
  try {
    const me = await load("me");
    state.isAdmin = me.isAdmin;
    find("who").textContent = `${me.owner}, version ${me.version}`;
    const scope = view.hasSums ? state.scope : "own";
    const range = new URLSearchParams({ days: state.days, scope });
    const children = await view.show({ load, preview, range, me });
    if (turn !== state.shown || (isRenewal && isInUse())) return;
    const open = [...main.querySelectorAll("details")].map((element) => element.open);
    main.replaceChildren(...make("div", {}, make("h2", {}, view.title), children).childNodes);
    if (isRenewal)
      for (const [index, element] of main.querySelectorAll("details").entries()) element.open = open[index] ?? false;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (turn === state.shown)
      main.replaceChildren(make("h2", {}, view.title), make("p", { class: "bad" }, `${reason} Reload the page.`));
  } finally {
    if (turn === state.shown) main.setAttribute("aria-busy", "false");
  }
}

/** A renewal would take the focus away from what is used with the keyboard. */
const isInUse = () => main !== document.activeElement && main.contains(document.activeElement);

function showTabs() {
  tabs.replaceChildren(
    ...Object.entries(views).map(([name, { title }]) =>
      make("li", {}, make("a", { href: `#${name}`, "aria-current": name === chosenName() ? "page" : null }, title)),
    ),
  );
  document.title = `${chosenView().title} – Spillway`;
}

function showControls() {
  const { hasRange, hasSums } = chosenView();
  const days = makeSelect("Time", { 7: "7 days", 30: "30 days", 90: "90 days", 365: "a year" }, "days");
  const scope = makeSelect("Whose", { own: "mine", all: "all owners" }, "scope");
  controls.replaceChildren(...(hasRange ? [days] : []), ...(hasSums && state.isAdmin ? [scope] : []));
}

/**
 * @param {string} label
 * @param {Readonly<Record<string, string>>} choices
 * @param {"days" | "scope"} name
 */
function makeSelect(label, choices, name) {
  const options = Object.entries(choices).map(([value, text]) =>
    make("option", { value, selected: state[name] === value ? "" : null }, text),
  );
  const select = make("select", {}, options);
  const change = () => {
    state[name] = select.value;
    void show();
  };
  return make("label", {}, label, listen(select, { change }));
}

async function choose() {
  showTabs();
  await show();
  showControls();
}

/** Live: after an event the view is renewed soon, and once more when counts of other processes were written. */
function follow() {
  /** @type {Map<number, ReturnType<typeof setTimeout>>} */
  const timers = new Map();
  /** @param {number} ms */
  const renewIn = (ms) => {
    if (timers.has(ms)) return;
    const renew = () => {
      timers.delete(ms);
      if (chosenView().isLive && !document.hidden) void show({ isRenewal: true });
    };
    timers.set(ms, setTimeout(renew, ms));
  };
  listen(new EventSource("/dashboard/api/live"), {
    open: () => {
      status.textContent = "Live: this page follows what happens.";
    },
    error: () => {
      status.textContent = "Not live: the connection is lost. It is tried again.";
    },
    message: () => {
      renewIn(RENEW_MS);
      renewIn(RENEW_AGAIN_MS);
    },
  });
}

/** Charts are drawn for the width of the page. */
function redrawOnResize() {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let width = document.documentElement.clientWidth;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // On a phone, scrolling changes the height.
      if (width === document.documentElement.clientWidth) return;
      width = document.documentElement.clientWidth;
      if (chosenView().hasRange) void show({ isRenewal: true });
    }, RESIZE_MS);
  });
}

addEventListener("hashchange", async () => {
  await choose();
  // Scrolling to it would hide the tabs.
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
await choose();
follow();
redrawOnResize();
