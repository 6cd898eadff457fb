/** The npm registry: https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md */
import { toFields, toLine, toList } from "../../system/json-values.ts";
import { splitPath } from "../address.ts";
import { tidyReadme } from "../readme.ts";
import type { Site, SiteApi } from "../site.ts";
import { LongAnswerError } from "../site-api.ts";
import { type Fields, joinParts, requireLine, toDay, toMarkdownSource, toText, writeFacts } from "../site-document.ts";

export const npm: Site = {
  apiUrl: "https://registry.npmjs.org",
  findPage(url) {
    const path = splitPath(url).join("/");
    const [, name, version] = /^package\/((?:@[^/]+\/)?[^/]+)(?:\/v\/([^/]+))?$/.exec(path) ?? [];
    return name === undefined ? undefined : (api) => readPackage(api, name, version);
  },
};

async function readPackage(api: SiteApi, name: string, wanted: string | undefined) {
  const { all, notes } = await readRecord(api, name, wanted ?? "latest");
  const tags = toFields(all["dist-tags"]);
  const latest = toLine(tags.latest);
  const version = requireLine(tags[wanted ?? "latest"] ?? wanted);
  const versions = Object.keys(toFields(all.versions));
  if (!versions.includes(version)) throw new TypeError("The registry does not have this version.");
  const manifest = toFields(toFields(all.versions)[version]);
  const repository = manifest.repository ?? all.repository;
  const isWhole = notes.length === 0;
  return toMarkdownSource(
    name,
    joinParts(
      `# ${name} ${version}`,
      toLine(manifest.description ?? all.description),
      writeFacts({
        published: toDay(toFields(all.time)[version]),
        licence: toLine(manifest.license ?? all.license),
        repository: toLine(toFields(repository).url ?? repository),
        homepage: toLine(manifest.homepage ?? all.homepage),
        "latest version": latest === version ? undefined : latest,
        versions: isWhole ? `${versions.length}, newest: ${versions.slice(-5).join(", ")}` : undefined,
        node: toLine(toFields(manifest.engines).node),
        dependencies: Object.entries(toFields(manifest.dependencies))
          .map(([each, range]) => `${each} ${toLine(range)}`)
          .join(", "),
        keywords: toList(manifest.keywords).map(toLine).join(", "),
        deprecated: toLine(manifest.deprecated),
      }),
      tidyReadme(toText(manifest.readme) || toText(all.readme)),
    ),
    notes,
  );
}

type PackageRecord = { readonly all: Fields; readonly notes: readonly string[] };

/** What the registry has about all versions. Of some packages that is too long; then only what it has about one. */
async function readRecord(api: SiteApi, name: string, version: string): Promise<PackageRecord> {
  const path = `/${name.replace("/", "%2f")}`;
  try {
    return { all: toFields(await api.json(path)), notes: [] };
  } catch (error) {
    if (!(error instanceof LongAnswerError)) throw error;
    const manifest = toFields(await api.json(`${path}/${encodeURIComponent(version)}`));
    const number = requireLine(manifest.version);
    const tags = version === "latest" ? { latest: number } : {};
    const notes = [
      "The README and the other versions are missing: the registry's record of them is too long to be read.",
    ];
    return { all: { "dist-tags": tags, versions: { [number]: manifest } }, notes };
  }
}
