/** The dashboard: one view at a time, chosen by the address, renewed when something happens. */
import { showClients, showDecisions, showJobs, showOverflow, showOverview, showServers } from "./activity-views.js";
import { showArtifacts } from "./content-views.js";
import { make } from "./elements.js";

const views = {
  overview: { title: "Overview", show: showOverview, isLive: true, hasRange: true },
  clients: { title: "Clients", show: showClients, isLive: true, hasRange: true },
  decisions: { title: "Decisions", show: showDecisions, isLive: true },
  overflow: { title: "Overflow", show: showOverflow, isLive: true },
  jobs: { title: "Index jobs", show: showJobs, isLive: true },
  // Renewing it would take away what was typed into its search.
  artifacts: { title: "Artifacts", show: showArtifacts },
  servers: { title: "Wrapped servers", show: showServers, isLive: true },
};

/** After events, views wait this long, so that a busy owner's page asks a few times a minute. */
const RENEW_MS = 2_000;
/** Usage is written some seconds after it happened. */
const RENEW_AGAIN_MS = 7_000;
const RESIZE_MS = 300;

const main = find("view");
const tabs = find("tabs");
const controls = find("controls");
const status = find("status");
const state = { isAdmin: false, days: "30", scope: "own", shown: 0 };

function find(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no ${id}.`);
  return element;
}

const chosen = () => (Object.hasOwn(views, location.hash.slice(1)) ? location.hash.slice(1) : "overview");

async function load(path) {
  return readAnswer(await fetch(`/dashboard/api/${path}`, { headers: { accept: "application/json" } }));
}

async function send(path, body) {
  const headers = { "content-type": "application/json" };
  return readAnswer(await fetch(`/dashboard/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function readAnswer(response) {
  if (response.status === 401) location.assign("/sign-in");
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  if (!isJson || response.status >= 500) throw new Error(`The server answered with status ${response.status}.`);
  return response.json();
}

/** Shows the chosen view. Of two that overlap, the later one stays. */
async function show({ isRenewal = false } = {}) {
  const turn = ++state.shown;
  const view = views[chosen()];
  main.setAttribute("aria-busy", "true");
  try {
    const me = await load("me");
    state.isAdmin = me.isAdmin;
    find("who").textContent = `${me.owner}, version ${me.version}`;
    const range = new URLSearchParams({ days: state.days, scope: state.scope });
    const children = await view.show({ load, send, range, me });
    if (turn !== state.shown || (isRenewal && isInUse())) return;
    const open = [...main.querySelectorAll("details")].map((element) => element.open);
    main.replaceChildren(make("h2", {}, view.title), ...children);
    if (isRenewal)
      for (const [index, element] of main.querySelectorAll("details").entries()) element.open = open[index] ?? false;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (turn === state.shown) main.replaceChildren(make("p", { class: "bad" }, `${reason} Reload the page.`));
  } finally {
    if (turn === state.shown) main.setAttribute("aria-busy", "false");
  }
}

/** A renewal would take the focus away from what is used with the keyboard. */
const isInUse = () => main !== document.activeElement && main.contains(document.activeElement);

function showTabs() {
  tabs.replaceChildren(
    ...Object.entries(views).map(([name, { title }]) =>
      make("li", {}, make("a", { href: `#${name}`, "aria-current": name === chosen() ? "page" : null }, title)),
    ),
  );
  document.title = `${views[chosen()].title} – Spillway`;
}

function showControls() {
  const days = makeSelect("Time", { 7: "7 days", 30: "30 days", 90: "90 days", 365: "a year" }, "days");
  const scope = state.isAdmin ? makeSelect("Whose", { own: "mine", all: "all owners" }, "scope") : null;
  controls.replaceChildren(...(views[chosen()].hasRange ? [days, scope].filter(Boolean) : []));
}

function makeSelect(label, choices, name) {
  const options = Object.entries(choices).map(([value, text]) =>
    make("option", { value, selected: state[name] === value ? "" : null }, text),
  );
  const onchange = ({ currentTarget }) => {
    state[name] = currentTarget.value;
    show();
  };
  return make("label", {}, label, make("select", { onchange }, options));
}

async function choose() {
  showTabs();
  await show();
  showControls();
}

/** Live: after an event the view is renewed soon, and once more when its counts were written. */
function listen() {
  const timers = {};
  const renewIn = (name, ms) => {
    timers[name] ??= setTimeout(() => {
      timers[name] = undefined;
      if (views[chosen()].isLive && !document.hidden) show({ isRenewal: true });
    }, ms);
  };
  const source = new EventSource("/dashboard/api/live");
  source.addEventListener("open", () => {
    status.textContent = "Live: this page follows what happens.";
  });
  source.addEventListener("error", () => {
    status.textContent = "Not live: the connection is lost. It is tried again.";
  });
  source.addEventListener("message", () => {
    renewIn("soon", RENEW_MS);
    renewIn("later", RENEW_AGAIN_MS);
  });
}

/** Charts are drawn for the width of the page. */
function redrawOnResize() {
  let timer;
  let width = document.documentElement.clientWidth;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // On a phone, scrolling changes the height.
      if (width === document.documentElement.clientWidth) return;
      width = document.documentElement.clientWidth;
      if (views[chosen()].hasRange) show({ isRenewal: true });
    }, RESIZE_MS);
  });
}

addEventListener("hashchange", async () => {
  await choose();
  main.focus();
});
await choose();
listen();
redrawOnResize();
