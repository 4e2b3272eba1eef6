import type { Figures } from '../harness/figures.ts'
import type { Provider } from './provider.ts'

type Counts = Record<string, number>

/** Counts calls by their method at providers, for each block that came in its time. */
export class CallMeter {
  /** The current phase; each is counted separately. */
  phase: 'start' | 'work' | 'rest' = 'start'
  readonly #users: Readonly<Record<string, readonly Provider[]>>
  readonly #counted: Record<string, { blocks: number; calls: Record<string, Counts> }> = {}

  constructor(users: Readonly<Record<string, readonly Provider[]>>) {
    this.#users = users
  }

  begin(blocks: number): { end: (blocks: number) => void } {
    const before = this.#now()
    return {
      end: (blocksNow) => {
        const { blocks: earlier = 0, calls = {} } = this.#counted[this.phase] ?? {}
        for (const [user, counts] of Object.entries(this.#now())) {
          const own = { ...calls[user] }
          for (const [method, count] of Object.entries(counts))
            own[method] = (own[method] ?? 0) + count - (before[user]?.[method] ?? 0)
          calls[user] = own
        }
        this.#counted[this.phase] = { blocks: earlier + blocksNow - blocks, calls }
      },
    }
  }

  /** The calls of an hour by user and method, at work and at rest, the most frequent first. */
  perHour(blocksOfHour: number): Figures {
    return Object.fromEntries(
      Object.entries(this.#counted)
        .filter(([phase]) => phase !== 'start')
        .map(([phase, { blocks, calls }]) => [
          phase,
          Object.fromEntries(
            Object.entries(calls).map(([user, own]) => [user, ofHour(own, blocksOfHour / blocks)]),
          ),
        ]),
    )
  }

  #now(): Record<string, Counts> {
    return Object.fromEntries(
      Object.entries(this.#users).map(([user, providers]) => {
        const counts: Counts = {}
        for (const { calls } of providers)
          for (const [method, count] of calls) counts[method] = (counts[method] ?? 0) + count
        return [user, counts]
      }),
    )
  }
}

function ofHour(calls: Counts, times: number): Figures {
  const counts = Object.entries(calls)
    .map(([method, count]): [string, number] => [method, Math.round(count * times)])
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one)
  return { all: counts.reduce((sum, [, count]) => sum + count, 0), ...Object.fromEntries(counts) }
}
