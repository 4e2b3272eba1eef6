import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { RoundPort, VoteResult } from '../../durable-objects/link/types.ts'
import type { Env } from '../env.ts'

interface Call {
  method: keyof RoundPort
  round: string
  given: readonly unknown[]
}

/** Rounds that write down what links tell them, behind the binding that links reach rounds by. */
export interface RecordedRounds {
  calls: Call[]
  /** The answer to every vote. */
  answer: VoteResult
  /** The fault that rounds find in the answers of validators; null for none. */
  problem: string | null
  /** While true, no round answers. */
  areDown: boolean
}

export function recordRounds(): RecordedRounds {
  const rounds: RecordedRounds = {
    calls: [],
    answer: { ok: true, state: 'pending' },
    problem: null,
    areDown: false,
  }
  const note = (method: keyof RoundPort, round: string, given: readonly unknown[]) => {
    if (rounds.areDown) throw new Error('the round does not answer')
    rounds.calls.push({ method, round, given })
  }
  const port = (round: string): RoundPort => ({
    accepted: async (...given) => note('accepted', round, given),
    declined: async (...given) => note('declined', round, given),
    voted: async (...given) => {
      note('voted', round, given)
      return rounds.answer
    },
    decided: async (...given) => {
      note('decided', round, given)
      return rounds.problem
    },
  })
  const bindings = env as unknown as Env
  const { ROUND: bound } = bindings
  beforeAll(() => {
    bindings.ROUND = new Proxy(bound, {
      get(target, key) {
        if (key === 'getByName') return port
        const value: unknown = Reflect.get(target, key)
        return typeof value === 'function' && key !== 'constructor' ? value.bind(target) : value
      },
    })
  })
  afterAll(() => {
    bindings.ROUND = bound
  })
  beforeEach(() => {
    rounds.calls = []
    rounds.answer = { ok: true, state: 'pending' }
    rounds.problem = null
    rounds.areDown = false
  })
  return rounds
}
