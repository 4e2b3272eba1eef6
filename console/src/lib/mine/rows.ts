interface Page<T> {
  items: T[]
  next_cursor: string | null
}

/** Reads pages of a list without some of its rows. A page that has no other row is followed by the next one at once. */
export const pagesWith =
  <T>(read: (cursor?: string) => Promise<Page<T>>, keep: (row: T) => boolean) =>
  async (cursor?: string): Promise<Page<T>> => {
    for (let from = cursor; ; ) {
      const { items, next_cursor } = await read(from)
      const kept = items.filter(keep)
      if (kept.length > 0 || next_cursor === null) return { items: kept, next_cursor }
      from = next_cursor
    }
  }
