import type { HubContext } from '../../context.ts'
import { unixNow } from '../../context.ts'

export type Health = 'ok' | 'unavailable'

/** An index this far behind serves records that are out of date. */
const lagSecsMax = 120
/** Dead letters this young say that the queue's work does not get done. */
const deadLetterSeconds = 3_600

/** A part that has not answered by then counts as one that does not. */
const answerMsMax = 2_000

const noChain = { indexed_block: null, head_block: null, lag_secs: null }

/** Asks every dependency the cheapest question it can answer. Never throws: a broken part is the answer. */
export async function readHealth(c: HubContext) {
  const { network, modules } = c.var.services
  const [database, moduleStorage, chain, queue, relayer] = await Promise.all([
    probe(network.ping()),
    probe(modules.ping()),
    readChain(c),
    readQueue(c),
    readRelayer(c),
  ])
  const parts: (Health | null)[] = [database, moduleStorage, chain.health, queue, relayer]
  const status = parts.includes('unavailable') ? ('degraded' as const) : ('ok' as const)
  return { status, database, moduleStorage, chain: chain.facts, queue, relayer }
}

const probe = (answer: Promise<unknown>): Promise<Health> =>
  answer.then(
    () => 'ok',
    () => 'unavailable',
  )

async function readChain(c: HubContext) {
  const { indexer } = c.var.services
  if (indexer === null) return { health: null, facts: noChain }
  try {
    const { state, indexedBlock, headBlock, lagSecs } = await inTime(indexer.status())
    const late = state === 'halted' || (lagSecs ?? 0) > lagSecsMax
    return {
      health: late ? ('unavailable' as const) : ('ok' as const),
      facts: { indexed_block: indexedBlock, head_block: headBlock, lag_secs: lagSecs },
    }
  } catch {
    return { health: 'unavailable' as const, facts: noChain }
  }
}

/** Null while this hub relays nothing. */
async function readQueue(c: HubContext): Promise<Health | null> {
  const { relayer, deadLetters } = c.var.services
  if (relayer === null) return null
  try {
    return (await deadLetters.countSince(unixNow() - deadLetterSeconds)) === 0 ? 'ok' : 'unavailable'
  } catch {
    return 'unavailable'
  }
}

async function readRelayer(c: HubContext): Promise<Health | null> {
  const { relayer } = c.var.services
  if (relayer === null) return null
  try {
    return (await inTime(relayer.health())).status
  } catch {
    return 'unavailable'
  }
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), answerMsMax)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
