/** The view of kept artifacts: a list with a search, and the beginning of one's text. */
/** @import { ListedArtifact, ViewContext } from "../view-data.ts" */
import { listen, make, makeEmpty, makeName, makeShortName, makeTable } from "./elements.js";
import { formatNumber, formatSize, formatTime } from "./formats.js";

/** @typedef {Exclude<ListedArtifact, { readonly problem: string }>} ReadableArtifact */

/** @param {ViewContext} context */
export async function showArtifacts({ load, preview: loadPreview }) {
  const results = make("div", { "aria-live": "polite" });
  const preview = make("section", { "aria-label": "Preview", tabindex: "-1" });
  const input = make("input", { type: "search", name: "q", autocomplete: "off", maxlength: "200" });

  /** @param {Event} [event] */
  async function search(event) {
    event?.preventDefault();
    results.replaceChildren(...(await listArtifacts("")));
  }

  /**
   * @param {string} after
   * @returns {Promise<HTMLElement[]>}
   */
  async function listArtifacts(after) {
    const { artifacts, searched, next } = await load("artifacts", new URLSearchParams({ q: input.value, after }));
    if (artifacts.length === 0 && next === null && after === "") return [describeNothing(input.value)];
    const more = make("p", {}, next === null ? "These are all." : makeMoreButton(next, searched));
    return artifacts.length === 0 ? [more] : [makeArtifactTable(artifacts, showPreview), more];
  }

  /**
   * @param {string} next
   * @param {number} searched
   */
  function makeMoreButton(next, searched) {
    const label = input.value === "" ? "Show older" : `Search older than these ${formatNumber(searched)}`;
    const click = async () => {
      const older = await listArtifacts(next);
      // The line with this button is the last one.
      results.lastElementChild?.remove();
      results.append(...older);
      focusOn(older);
    };
    return listen(make("button", { type: "button" }, label), { click });
  }

  /** @param {ReadableArtifact} artifact */
  async function showPreview({ ref, name }) {
    const answer = await loadPreview(ref);
    const isRefused = "error" in answer;
    const text = isRefused ? `${answer.error}\n${answer.hint}` : answer.content;
    const chars = isRefused ? null : answer.total_chars;
    const size = chars === null ? "" : ` (${formatNumber(chars)} characters in all)`;
    preview.replaceChildren(
      make("h3", {}, "Beginning of ", makeShortName(name), size),
      make("pre", { tabindex: "0", "aria-label": "Text", dir: "auto" }, text || "No text could be read."),
    );
    preview.focus();
    preview.scrollIntoView({ block: "nearest" });
  }

  await search();
  const form = make(
    "form",
    { class: "controls", role: "search" },
    make("label", {}, "Name, source or kind", input),
    make("button", {}, "Search"),
  );
  return [listen(form, { submit: search }), results, preview];
}

/**
 * The button that was used is gone, and a keyboard would start again at the top.
 * @param {readonly HTMLElement[]} added
 */
function focusOn(added) {
  const [target] = added.flatMap((element) => [element, ...element.querySelectorAll("button")]);
  if (target instanceof HTMLElement) target.focus();
}

/** @param {string} words */
const describeNothing = (words) =>
  words === ""
    ? makeEmpty("Nothing is kept yet.", ["spillway fetch https://en.wikipedia.org/wiki/Weir"])
    : makeEmpty("No artifact has these words in its name or source.", []);

/**
 * @param {readonly ListedArtifact[]} artifacts
 * @param {(artifact: ReadableArtifact) => unknown} onPreview
 */
function makeArtifactTable(artifacts, onPreview) {
  return makeTable(
    "Artifacts, the latest used first",
    [
      {
        label: "Name",
        isName: true,
        isHeading: true,
        cell: (each) => makeName(isReadable(each) ? each.name : each.ref),
      },
      { label: "Source", isName: true, cell: (each) => makeName(isReadable(each) ? each.source : each.problem) },
      { label: "Kind", cell: (each) => (isReadable(each) ? each.content_kind : "–") },
      { label: "Size", isNumber: true, cell: (each) => (isReadable(each) ? formatSize(each.size_bytes) : "–") },
      { label: "Last used", isTime: true, cell: (each) => (isReadable(each) ? formatTime(each.last_used_at) : "–") },
      { label: "Expires", isTime: true, cell: (each) => (isReadable(each) ? formatTime(each.expires_at) : "–") },
      { label: "Text", cell: (each) => (isReadable(each) ? makePreviewButton(each, onPreview) : "–") },
    ],
    artifacts,
  );
}

/**
 * @param {ListedArtifact} artifact
 * @returns {artifact is ReadableArtifact}
 */
const isReadable = (artifact) => artifact.problem === undefined;

const MAX_LABEL_CHARS = 100;

/**
 * @param {ReadableArtifact} artifact
 * @param {(artifact: ReadableArtifact) => unknown} onPreview
 */
function makePreviewButton(artifact, onPreview) {
  const label = `Preview ${artifact.name.slice(0, MAX_LABEL_CHARS)}`;
  const button = make("button", { type: "button", "aria-label": label }, "Preview");
  return listen(button, { click: () => onPreview(artifact) });
}
