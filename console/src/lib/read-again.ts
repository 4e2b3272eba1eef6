import type { QueryClient } from '@tanstack/svelte-query'

/**
 * Reads again what an action has changed. A first read that is still on its way may have begun before the action, and would be shown as if
 * it came after it, so it begins again.
 */
export async function readAgain(queries: QueryClient, queryKey: readonly unknown[]): Promise<void> {
  await queries.cancelQueries({ queryKey })
  await queries.invalidateQueries({ queryKey })
}
