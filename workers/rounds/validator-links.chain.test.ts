import { evictDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Validating } from '../../durable-objects/link/validating.ts'
import {
  closeCodes,
  type DecideFrame,
  type FinalityFrame,
  type RoundAnswer,
} from '../../protocol/link/index.ts'
import { linkOf, openRelay, type RelaySocket } from '../test/relay-socket.ts'
import type { SimulatedValidator } from '../test/simulated-validators.ts'
import { together } from '../test/together.ts'
import { fileOf, simulatedRounds, voteAll } from './testing/simulated.ts'

const { rounds, accepted, decide, silence } = simulatedRounds()

/** A validator of which the hub has a link. */
class LinkedValidator {
  readonly decided: DecideFrame[] = []
  readonly told: FinalityFrame[] = []
  /** Frames of it that were refused. */
  refused = 0
  /** Awaited before it answers. */
  before: () => Promise<unknown> = async () => {}
  /** Answers in its place; null for silence. */
  instead: ((roundId: string) => RoundAnswer | null) | null = null
  readonly relay: RelaySocket
  readonly #validator: SimulatedValidator

  constructor(validator: SimulatedValidator, relay: RelaySocket) {
    this.#validator = validator
    this.relay = relay
    void this.#listen()
  }

  async #listen(): Promise<void> {
    while (this.relay.closed === null) {
      const frame = await this.relay.next().catch(() => null)
      if (frame?.type === 'finality') this.told.push(frame)
      if (frame?.type === 'error') this.refused += 1
      if (frame?.type === 'decide') await this.#decide(frame)
    }
  }

  async #decide(frame: DecideFrame): Promise<void> {
    this.decided.push(frame)
    await this.before()
    const answers = await Promise.all(
      frame.rounds.map(async ({ round_id, ...request }) =>
        this.instead === null
          ? { round_id, ...(await this.#validator.decide(request as never)) }
          : this.instead(round_id),
      ),
    )
    const given = answers.filter((answer) => answer !== null) as RoundAnswer[]
    if (given.length > 0) this.relay.send({ type: 'decided', answers: given })
  }
}

let links: LinkedValidator[] = []
const open = async (validator: SimulatedValidator) => {
  const { relay } = await openRelay(validator.node)
  relay.ready(0, [], 'validator')
  await relay.drain()
  return new LinkedValidator(validator, relay)
}
beforeEach(async () => {
  links = await Promise.all(rounds.validators.map(open))
})
afterEach(async () => {
  for (const { relay } of links) relay.socket.close(closeCodes.normal)
  await Promise.all(links.map(({ relay }) => relay.close()))
})

const statusOf = async (roundId: string) => (await rounds.task(roundId)).status
const byHttp = () => rounds.validators.map((validator) => validator.calls.length)
const closed = async () => {
  const { roundId, voters } = await accepted()
  await voteAll(voters)
  return roundId
}

describe('validators with links', () => {
  test('make a round final with one frame each, receive its votes in another, and are not called by HTTP', async () => {
    const roundId = await closed()
    await decide(roundId)
    expect(await statusOf(roundId)).toBe('finalized')
    const { finality_votes } = await fileOf(roundId)
    await vi.waitUntil(() => links.every(({ told }) => told.length > 0))
    for (const [i, { decided, told }] of links.entries()) {
      const own = rounds.validators[i]!.node.publicKey
      expect(decided.map((frame) => frame.rounds.map(({ round_id }) => round_id))).toEqual([[roundId]])
      expect(told).toEqual([
        { type: 'finality', votes: finality_votes.filter(({ public_key }) => public_key !== own) },
      ])
    }
    expect(byHttp()).toEqual([0, 0, 0, 0])
  })

  test('decide rounds that close together in one shared frame', async () => {
    const ids = [await closed(), await closed(), await closed()]
    const asked = vi.spyOn(Validating.prototype, 'decide')
    await rounds.mine(ids[0]!)
    const ending = ids.map((roundId) =>
      vi.waitUntil(async () => {
        await rounds.tick(roundId)
        return (await statusOf(roundId)) === 'finalized'
      }),
    )
    await together(() => vi.waitUntil(() => asked.mock.calls.length >= ids.length * links.length))
    await Promise.all(ending)
    asked.mockRestore()
    for (const { decided } of links) {
      expect(decided.flatMap((frame) => frame.rounds.map(({ round_id }) => round_id)).toSorted()).toEqual(
        ids.toSorted(),
      )
      expect(decided).toHaveLength(1)
    }
    expect(byHttp()).toEqual([0, 0, 0, 0])
  })

  test('cause no delay if one of them never answers', async () => {
    links[0]!.instead = () => null
    const roundId = await closed()
    await decide(roundId)
    expect(await statusOf(roundId)).toBe('finalized')
    expect(byHttp()).toEqual([0, 0, 0, 0])
  })

  test('that do not answer on their links are asked there again, and by HTTP', async () => {
    for (const link of links.slice(0, 2)) link.instead = () => null
    const roundId = await closed()
    await decide(roundId)
    expect(await statusOf(roundId)).toBe('finalized')
    expect(rounds.validators.slice(2).map((validator) => validator.asked().length)).toEqual([0, 0])
    expect(rounds.validators.slice(0, 2).some((validator) => validator.asked().length === 1)).toBe(true)
  })

  test('whose answer fits into no frame are asked for it by HTTP', async () => {
    for (const link of links) link.instead = (round_id) => ({ round_id, code: 'too_large' })
    const roundId = await closed()
    await decide(roundId)
    expect(await statusOf(roundId)).toBe('finalized')
  })

  test('that refuse are not asked by HTTP: the round asks again later', async () => {
    for (const link of links) link.instead = (round_id) => ({ round_id, code: 'unavailable' })
    const roundId = await closed()
    await decide(roundId)
    expect(await statusOf(roundId)).toBe('committee_agreed')
    expect(byHttp()).toEqual([0, 0, 0, 0])
    for (const link of links) link.instead = null
    await rounds.passTime(5)
    await rounds.tick(roundId)
    expect(await statusOf(roundId)).toBe('finalized')
  })

  test('answer over the next socket if the process of the first one ends during the question', async () => {
    for (const link of links) link.instead = () => null
    silence(rounds.validators)
    const roundId = await closed()
    await rounds.mine(roundId)
    const ending = rounds.tick(roundId)
    await vi.waitUntil(() => links.every(({ decided }) => decided.length === 1))
    for (const { node } of rounds.validators) await evictDurableObject(linkOf(node), { webSockets: 'close' })
    links = await Promise.all(rounds.validators.map(open))
    await ending
    expect(await statusOf(roundId)).toBe('finalized')
  })

  test('are asked together with validators without links', async () => {
    const [first, second] = links.splice(0, 2) as [LinkedValidator, LinkedValidator]
    for (const { relay } of [first, second]) {
      relay.socket.close(closeCodes.normal)
      await relay.close()
    }
    const roundId = await closed()
    await decide(roundId)
    expect(await statusOf(roundId)).toBe('finalized')
    await vi.waitUntil(() => links.every(({ told }) => told.length > 0))
    expect(rounds.validators.map((validator) => validator.asked('/consensus/votes').length)).toEqual([
      1, 1, 0, 0,
    ])
    expect(rounds.validators.slice(2).map((validator) => validator.asked().length)).toEqual([0, 0])
  })

  test('that forge votes lose their sockets, and the others decide', async () => {
    const forger = links[0]!
    forger.instead = (round_id) => ({
      round_id,
      vote: { public_key: rounds.validators[1]!.node.publicKey },
      run: null,
    })
    for (let i = 0; i < 3; i++) {
      // A round that is final looks at no answer.
      for (const link of links.slice(1)) link.before = () => vi.waitUntil(() => forger.refused > i)
      const roundId = await closed()
      await decide(roundId)
      expect(await statusOf(roundId)).toBe('finalized')
    }
    expect(await forger.relay.close()).toMatchObject({ code: closeCodes.policy })
  })
})
