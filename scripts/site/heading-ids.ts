/** The ids of headings, as GitHub makes them, so that a link works there and in the site. */

/** Names the headings of one page, in order: a repeated one gets a number. */
export function createHeadingIds(): (heading: string) => string {
  const counts = new Map<string, number>();
  return (heading) => {
    const id = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  };
}

/** The ids of all headings of a page. */
export function listHeadingIds(markdown: string): string[] {
  const prose = markdown.replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
  const idOf = createHeadingIds();
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => idOf(heading));
}
