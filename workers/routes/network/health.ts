import type { HubContext } from '../../context.ts'

export type Health = 'ok' | 'unavailable'

/** Asks every dependency the cheapest question it can answer. Never throws: a broken part is the answer. */
export async function readHealth(c: HubContext) {
  const { network, modules } = c.var.services
  const [database, moduleStorage] = await Promise.all([probe(network.ping()), probe(modules.ping())])
  const ok = database === 'ok' && moduleStorage === 'ok'
  return { status: ok ? ('ok' as const) : ('degraded' as const), database, moduleStorage }
}

const probe = (answer: Promise<unknown>): Promise<Health> =>
  answer.then(
    () => 'ok',
    () => 'unavailable',
  )
