/** Tables by the names of elements. A map, because a document may call an element `constructor`. */
export function toTable<T>(entries: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(entries));
}
