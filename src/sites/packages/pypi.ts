/** PyPI: https://docs.pypi.org/api/json/ */
import { toFields, toLine, toList } from "../../system/json-values.ts";
import { tidyReadme } from "../readme.ts";
import type { Site, SiteApi } from "../site.ts";
import { joinParts, requireLine, toDay, toMarkdownSource, toText, writeFacts } from "../site-document.ts";

export const pypi: Site = {
  apiUrl: "https://pypi.org",
  findPage({ pathname }) {
    const [, name, version] = /^\/project\/([\w.-]+)(?:\/([\w.!+-]+))?\/?$/.exec(pathname) ?? [];
    return name === undefined ? undefined : (api) => readProject(api, name, version);
  },
};

async function readProject(api: SiteApi, name: string, version: string | undefined) {
  const project = toFields(await api.json(`/pypi/${name}${version === undefined ? "" : `/${version}`}/json`));
  const info = toFields(project.info);
  const [file] = toList(project.urls).map(toFields);
  const addresses = Object.entries(toFields(info.project_urls)).map(([label, url]) => `${label}: ${toLine(url)}`);
  return toMarkdownSource(
    toLine(info.name) || name,
    joinParts(
      `# ${requireLine(info.name)} ${toLine(info.version)}`,
      toLine(info.summary),
      writeFacts({
        released: toDay(file?.upload_time_iso_8601),
        licence: toLine(info.license_expression) || toLine(info.license).slice(0, 100),
        python: toLine(info.requires_python),
        author: toLine(info.author) || toLine(info.author_email),
        requires: toList(info.requires_dist).map(toLine).join(", "),
        links: addresses.join(", "),
        yanked: info.yanked === true ? toLine(info.yanked_reason) || "yes" : undefined,
      }),
      tidyReadme(toText(info.description)),
    ),
  );
}
