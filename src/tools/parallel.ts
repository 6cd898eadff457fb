/** Several pieces of work, a few at a time, answered in the order they were given. */

/** Each item's result at its own place; the first error ends it. */
export async function mapParallel<T, R>(
  items: readonly T[],
  maxParallel: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(maxParallel, items.length) }, worker));
  return results;
}
