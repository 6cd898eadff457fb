/** Runs asynchronous work for several items, a few at a time. */

/** The results in the order of the items; the first error rejects. */
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
