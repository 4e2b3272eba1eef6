/** Requests that one click sends. The hub takes ten in a minute, and each claims from ten vaults. */
const requestsMax = 5

/**
 * Has the hub claim until nothing is left.
 *
 * @param tell is called with what each request claims.
 * @returns Whether more is left, for another click.
 */
export async function claimAll<T>(
  claim: () => Promise<{ items: readonly T[]; more: boolean }>,
  tell: (items: readonly T[]) => void,
): Promise<boolean> {
  for (let requests = 0; requests < requestsMax; requests++) {
    const { items, more } = await claim()
    tell(items)
    if (!more) return false
  }
  return true
}
