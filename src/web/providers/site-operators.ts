/** Domain filters as words of the query, for engines that have no parameter for them. */
import type { WebQuery } from "../web-provider.ts";

/** `words (site:a.com OR site:b.com) -site:c.com` */
export function addSites({ query, includeDomains, excludeDomains }: WebQuery): string {
  const included = includeDomains.map((domain) => `site:${domain}`).join(" OR ");
  const group = includeDomains.length > 1 ? `(${included})` : included;
  const excluded = excludeDomains.map((domain) => `-site:${domain}`).join(" ");
  return [query, group, excluded].filter((part) => part !== "").join(" ");
}
