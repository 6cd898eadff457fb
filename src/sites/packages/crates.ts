/** crates.io: https://crates.io/data-access; docs.rs names its crates in the same way. */
import { writeWholePage } from "../../extract/html/page.ts";
import { toFields, toLine, toList } from "../../system/json-values.ts";
import type { Site, SiteApi } from "../site.ts";
import { joinParts, requireLine, toDay, toMarkdownSource, writeFacts } from "../site-document.ts";

export const crates: Site = {
  apiUrl: "https://crates.io",
  /** The documentation itself, `docs.rs/name/...`, is read as the page that it is. */
  findPage({ hostname, pathname }) {
    const address =
      hostname === "docs.rs"
        ? /^\/crate\/([\w-]+)(?:\/(\d[\w.+-]*|latest))?\/?$/
        : /^\/crates\/([\w-]+)(?:\/(\d[\w.+-]*|latest))?\/?$/;
    const [, name, version] = address.exec(pathname) ?? [];
    return name === undefined ? undefined : (api) => readCrate(api, name, version === "latest" ? undefined : version);
  },
};

async function readCrate(api: SiteApi, name: string, wanted: string | undefined) {
  const answer = toFields(await api.json(`/api/v1/crates/${name}`));
  const about = toFields(answer.crate);
  const version = requireLine(wanted ?? (toLine(about.max_stable_version) || about.newest_version));
  const versions = toList(answer.versions).map(toFields);
  const chosen = versions.find(({ num }) => num === version) ?? {};
  return toMarkdownSource(
    name,
    joinParts(
      `# ${name} ${version}`,
      toLine(about.description),
      writeFacts({
        released: toDay(chosen.created_at),
        licence: toLine(chosen.license),
        repository: toLine(about.repository),
        documentation: toLine(about.documentation) || `https://docs.rs/${name}`,
        downloads: Number(about.downloads ?? 0),
        rust: toLine(chosen.rust_version),
        features: Object.keys(toFields(chosen.features)).join(", "),
        versions: `${versions.length}, newest: ${versions
          .slice(0, 5)
          .map(({ num }) => toLine(num))
          .join(", ")}`,
        yanked: chosen.yanked === true ? "yes" : undefined,
      }),
      await readReadme(api, name, version),
    ),
  );
}

/** It is HTML; a crate without one is answered with an error. */
async function readReadme(api: SiteApi, name: string, version: string): Promise<string> {
  try {
    const { text } = await api.text(`/api/v1/crates/${name}/${version}/readme`, { accept: "text/html" });
    return writeWholePage(text, { mode: "markdown" }).text;
  } catch {
    return "";
  }
}
