/** Chooses the address that the links of a page are relative to: the one that makes them shortest. */

/** Links are relative only to an address that a reply can name. */
export const MAX_BASE_CHARS = 200;
/** A reader expects addresses that are relative to the page; another base must save this much, and this share. */
const MIN_SAVED_CHARS = 100;
const MIN_SAVED_SHARE = 0.08;
/** How many of the most promising folders are compared. */
const MAX_COMPARED = 4;
/** Folders deeper than this are not looked at. */
const MAX_LEVELS = 12;

/** The page itself, or a folder that many of its links are in, also one of another site. */
export function chooseLinkBase(page: URL, targets: readonly URL[]): URL {
  const lengthFrom = (base: URL) => targets.reduce((chars, url) => chars + relativeAddress(url, base).length, 0);
  const ownChars = lengthFrom(page);
  let best = { base: page, chars: ownChars - Math.max(MIN_SAVED_CHARS, MIN_SAVED_SHARE * ownChars) };
  for (const folder of listFolders(targets)) {
    const base = new URL(folder);
    const chars = lengthFrom(base);
    if (chars < best.chars) best = { base, chars };
  }
  return best.base;
}

/** The folders that would save most if every address in them were complete otherwise. */
function listFolders(targets: readonly URL[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { origin, pathname } of targets) {
    let end = pathname.indexOf("/");
    for (let level = 0; end >= 0 && level < MAX_LEVELS; level += 1) {
      const folder = origin + pathname.slice(0, end + 1);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
      end = pathname.indexOf("/", end + 1);
    }
  }
  return [...counts]
    .filter(([folder, count]) => count > 1 && folder.length <= MAX_BASE_CHARS)
    .sort(([one, oneCount], [other, otherCount]) => otherCount * other.length - oneCount * one.length)
    .slice(0, MAX_COMPARED)
    .map(([folder]) => folder);
}

/** The shortest address that leads from a base to another address of the same site; complete for other sites. */
export function relativeAddress(url: URL, base: URL): string {
  // A path with two slashes at its start would be read as a host.
  if (url.origin !== base.origin || url.username !== "" || url.pathname.startsWith("//")) return url.href;
  const end = url.search + url.hash;
  if (url.pathname === base.pathname) return url.search === "" ? url.pathname + end : end;
  const path = pathFrom(base.pathname, url.pathname);
  // A path from the root is easier to recognize as one.
  return `${path.length + 1 < url.pathname.length ? path : url.pathname}${end}`;
}

/** A path relative to the folder of another; the path itself where that would be read as something else. */
function pathFrom(basePath: string, path: string): string {
  const folder = basePath.split("/").slice(0, -1);
  const steps = path.split("/");
  let shared = 0;
  while (shared < folder.length && shared < steps.length - 1 && folder[shared] === steps[shared]) shared += 1;
  const rest = "../".repeat(folder.length - shared) + steps.slice(shared).join("/");
  return rest === "" || rest.startsWith("/") || /^[^/]*:/.test(rest) ? path : rest;
}
