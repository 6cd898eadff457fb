/** The date that a freshness means, for providers that filter by dates. */
import type { Freshness } from "../web-provider.ts";

const daysByFreshness: Readonly<Record<Freshness, number>> = { day: 1, week: 7, month: 31, year: 366 };
const MS_PER_DAY = 86_400_000;

/** The oldest time that is fresh enough, in ISO form. */
export function makeOldestDate(freshness: Freshness, now: number): string {
  return new Date(now - daysByFreshness[freshness] * MS_PER_DAY).toISOString();
}
