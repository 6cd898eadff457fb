/** The view of kept artifacts: a list with a search, and the beginning of one's text. */
import { make, makeEmpty, makeName, makeTable } from "./elements.js";
import { formatNumber, formatSize, formatTime } from "./formats.js";

export async function showArtifacts({ load, send }) {
  const results = make("div", { "aria-live": "polite" });
  const preview = make("section", { "aria-label": "Preview", tabindex: "-1" });
  const input = make("input", { type: "search", name: "q", autocomplete: "off", maxlength: "200" });

  async function search(event) {
    event?.preventDefault();
    results.replaceChildren(...(await listArtifacts("")));
  }

  async function listArtifacts(after) {
    const query = new URLSearchParams({ q: input.value, after });
    const { artifacts, searched, next } = await load(`artifacts?${query}`);
    if (artifacts.length === 0 && next === null && after === "") return [describeNothing(input.value)];
    const more = make("p", {}, next === null ? "These are all." : makeMoreButton(next, searched));
    return artifacts.length === 0 ? [more] : [makeArtifactTable(artifacts, showPreview), more];
  }

  function makeMoreButton(next, searched) {
    const label = input.value === "" ? "Show older" : `Search older than these ${formatNumber(searched)}`;
    const onclick = async () => {
      const older = await listArtifacts(next);
      // The line with this button is the last one.
      results.lastElementChild?.remove();
      results.append(...older);
    };
    return make("button", { type: "button", onclick }, label);
  }

  async function showPreview({ ref, name }) {
    const answer = await send("preview", { ref });
    const text = answer.error === undefined ? answer.content : `${answer.error}\n${answer.hint}`;
    const size = answer.total_chars == null ? "" : ` (${formatNumber(answer.total_chars)} characters in all)`;
    preview.replaceChildren(
      make("h2", {}, `Beginning of ${name}${size}`),
      make("pre", { tabindex: "0", "aria-label": "Text" }, text || "No text could be read."),
    );
    preview.focus();
    preview.scrollIntoView({ block: "nearest" });
  }

  await search();
  const form = make(
    "form",
    { class: "controls", role: "search", onsubmit: search },
    make("label", {}, "Name, source or kind", input),
    make("button", {}, "Search"),
  );
  return [form, results, preview];
}

const describeNothing = (words) =>
  words === ""
    ? makeEmpty("Nothing is kept yet.", ["spillway fetch https://en.wikipedia.org/wiki/Weir"])
    : makeEmpty("No artifact has these words in its name or source.", []);

function makeArtifactTable(artifacts, onPreview) {
  return makeTable(
    "Artifacts, the latest used first",
    [
      { label: "Name", isName: true, cell: ({ name, ref }) => makeName(name ?? ref) },
      { label: "Source", isName: true, cell: ({ source, problem }) => makeName(problem ?? source) },
      { label: "Kind", cell: ({ content_kind }) => content_kind ?? "–" },
      {
        label: "Size",
        isNumber: true,
        cell: ({ size_bytes }) => (size_bytes === undefined ? "–" : formatSize(size_bytes)),
      },
      {
        label: "Last used",
        isTime: true,
        cell: ({ last_used_at }) => (last_used_at === undefined ? "–" : formatTime(last_used_at)),
      },
      {
        label: "Expires",
        isTime: true,
        cell: ({ expires_at }) => (expires_at === undefined ? "–" : formatTime(expires_at)),
      },
      { label: "Text", cell: (artifact) => makePreviewButton(artifact, onPreview) },
    ],
    artifacts,
  );
}

const makePreviewButton = (artifact, onPreview) =>
  artifact.problem !== undefined
    ? "–"
    : make(
        "button",
        { type: "button", "aria-label": `Preview ${artifact.name}`, onclick: () => onPreview(artifact) },
        "Preview",
      );
