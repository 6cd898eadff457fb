/** The npm registry: https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md */
import { toFields, toLine, toList } from "../../system/json-values.ts";
import { splitPath } from "../address.ts";
import type { Site, SiteApi } from "../site.ts";
import { joinParts, toDay, toMarkdownSource, toText, writeFacts } from "../site-document.ts";

export const npm: Site = {
  apiUrl: "https://registry.npmjs.org",
  findPage(url) {
    const path = splitPath(url).join("/");
    const [, name, version] = /^package\/((?:@[^/]+\/)?[^/]+)(?:\/v\/([^/]+))?$/.exec(path) ?? [];
    return name === undefined ? undefined : (api) => readPackage(api, name, version);
  },
};

async function readPackage(api: SiteApi, name: string, wanted: string | undefined) {
  const all = toFields(await api.json(`/${name.replace("/", "%2f")}`));
  const latest = toLine(toFields(all["dist-tags"]).latest);
  const version = wanted ?? latest;
  const manifest = toFields(toFields(all.versions)[version]);
  const versions = Object.keys(toFields(all.versions));
  const repository = toFields(manifest.repository ?? all.repository);
  return toMarkdownSource(
    name,
    joinParts(
      `# ${name} ${version}`,
      toLine(manifest.description ?? all.description),
      writeFacts({
        published: toDay(toFields(all.time)[version]),
        licence: toLine(manifest.license ?? all.license),
        repository: toLine(repository.url),
        homepage: toLine(manifest.homepage ?? all.homepage),
        "latest version": latest === version ? undefined : latest,
        versions: `${versions.length}, newest: ${versions.slice(-5).join(", ")}`,
        node: toLine(toFields(manifest.engines).node),
        dependencies: Object.entries(toFields(manifest.dependencies))
          .map(([each, range]) => `${each} ${toLine(range)}`)
          .join(", "),
        keywords: toList(manifest.keywords).map(toLine).join(", "),
        deprecated: toLine(manifest.deprecated),
      }),
      toText(manifest.readme) || toText(all.readme),
    ),
  );
}
