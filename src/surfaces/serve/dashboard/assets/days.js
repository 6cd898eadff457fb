/** Days as charts need them: one for each of the range, whether or not something happened. */

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * The days of the range up to today, in UTC as counts are; `make` gets those that have something.
 * @template {{ readonly name: string }} Known
 * @template {{ readonly name: string }} Day
 * @param {readonly Known[]} known
 * @param {URLSearchParams} range
 * @param {(name: string, known: readonly Known[]) => Day} make
 * @returns {Day[]}
 */
export function fillDays(known, range, make) {
  const byName = Map.groupBy(known, ({ name }) => name);
  const count = Number(range.get("days"));
  return Array.from({ length: count }, (_, index) => {
    const name = new Date(Date.now() - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return make(name, byName.get(name) ?? []);
  });
}
