import { repeat, waitUnreferenced } from '../hub/repeat.ts'
import type { NodeParts, Part } from '../part.ts'
import { findUnreachable } from './reachability.ts'
import type { Validator } from './validator.ts'

/** Seconds between two searches for missed rounds, fewer while no peer is known; seconds until `nodeUrl` is checked again. */
const seconds = { catchUp: 10, withoutPeers: 5, unreachable: 60, reachable: 600 }

/** The repeated work of a validator: it catches up on missed rounds, and checks whether others reach it at `nodeUrl`. */
export function validatorPart(
  { identity, log, metrics, status }: Pick<NodeParts, 'identity' | 'log' | 'metrics' | 'status'>,
  validator: Validator,
  nodeUrl: string | null,
): Part {
  const stopping = new AbortController()
  const { signal } = stopping
  let running: Promise<unknown> = Promise.resolve()
  let problem: string | null | undefined

  metrics.gauge('reachable', 'Whether this node reaches itself at its URL', () => Number(problem === null))
  status.set('consensus', () => ({ ...validator.describe(), reachable: problem === null, problem }))

  const catchUp = async (): Promise<number> => {
    try {
      await validator.catchUp.step()
    } catch (error) {
      if (!signal.aborted) log.error('rounds that were missed could not be read', { reason: String(error) })
    }
    const pause = validator.catchUp.peers().length === 0 ? seconds.withoutPeers : seconds.catchUp
    return pause * (0.9 + 0.1 * Math.random())
  }

  const lookAtSelf = async (url: string): Promise<number> => {
    const found = await findUnreachable(url, identity.nodeId, signal)
    if (!signal.aborted && found !== problem) {
      if (found !== null) log.warn('others may not reach this validator', { url, reason: found })
      else log.info('this validator answers at its URL', { url })
      problem = found
    }
    return found === null ? seconds.reachable : seconds.unreachable
  }

  return {
    start: () => {
      running = Promise.all([
        repeat(catchUp, signal, waitUnreferenced),
        nodeUrl === null ? null : repeat(() => lookAtSelf(nodeUrl), signal, waitUnreferenced),
      ])
    },
    stop: async () => {
      stopping.abort()
      validator.stop()
      await running
    },
  }
}
