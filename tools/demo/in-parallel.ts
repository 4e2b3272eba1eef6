import os from 'node:os'

/** Maps items in their order, as many at once as the machine has cores. */
export async function mapInParallel<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const next = items.entries()
  const mapOneByOne = async () => {
    for (const [index, item] of next) results[index] = await map(item)
  }
  await Promise.all(Array.from({ length: os.availableParallelism() }, mapOneByOne))
  return results
}
