import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, expect, vi } from 'vitest'
import type { Round } from '../../../durable-objects/round/round.ts'
import { services } from '../../services.ts'
import type { LeaseRow } from '../../stores/schema/index.ts'
import { roundOf, SimulatedRounds } from '../../test/rounds.ts'
import type { SimulatedMember } from '../../test/simulated-members.ts'
import { findPublished, findRound } from '../find-round.ts'

export const leasesOf = async (roundId: string): Promise<readonly LeaseRow[]> =>
  (await findPublished(services(env), roundId))?.leases ?? []

export const rowOf = (roundId: string) => findRound(services(env), roundId)

export const fileOf = async (roundId: string) => {
  const file = await services(env).roundFiles.round(roundId)
  if (file === null) throw new Error('there is no file')
  return file
}

/** Some members of each lease. */
export const outcomes = async (roundId: string, ...names: (keyof LeaseRow)[]) =>
  (await leasesOf(roundId)).map((lease) => names.map((name) => lease[name]))

export type Voter = { member: SimulatedMember; offer: Awaited<ReturnType<SimulatedMember['offer']>> }

export async function voteAll(voters: readonly Voter[], salt = ''): Promise<void> {
  for (const { member, offer } of voters)
    expect(await member.vote(offer, salt)).toMatchObject({ type: 'voted', offer_id: offer.offer_id })
}

/** The leases as the object has them. */
export const objectLeases = (roundId: string) =>
  runInDurableObject(roundOf(roundId), (_round, { storage }) => storage.kv.get<Round>('round')?.leases)

/** Returns once `count` members are no longer awaited: the reason of a decline is checked first. */
export const ended = (roundId: string, count: number) =>
  vi.waitUntil(async () => {
    const leases = (await objectLeases(roundId)) ?? []
    return leases.filter(({ completedAt }) => completedAt !== null).length >= count
  })

/** Whether the object has forgotten everything. */
export const isGone = async (roundId: string): Promise<boolean> =>
  (await services(env).roundObjects(roundId).read()) === null

/** Five members and four validators, the same for all tests of a file. */
export function simulatedRounds() {
  const rounds = new SimulatedRounds()
  beforeAll(async () => {
    await rounds.begin()
  })
  beforeEach(async () => {
    rounds.install()
    for (const member of rounds.members) await member.forgive()
    for (const validator of rounds.validators) {
      validator.calls.length = 0
      validator.instead = null
      validator.salt = ''
    }
  })

  /** A round of which every primary has its offer. */
  async function offered(body: object = {}) {
    const begun = await rounds.begun(body)
    const offerTo = async (member: SimulatedMember) => ({ member, offer: await member.offer(begun.roundId) })
    return { ...begun, voters: await Promise.all(begun.primaries.map(offerTo)) }
  }

  /** And has accepted it. */
  async function accepted() {
    const begun = await offered()
    for (const { member, offer } of begun.voters) {
      member.accept(offer)
      await member.relay.drain()
    }
    return begun
  }

  const later = async (roundId: string, seconds: number) => {
    await rounds.passTime(seconds)
    await rounds.tick(roundId)
  }

  /** Has these validators answer nothing, and the others as usual. */
  function silence(silent: typeof rounds.validators): void {
    for (const validator of rounds.validators)
      validator.instead = silent.includes(validator) ? () => new Response(null, { status: 503 }) : null
  }

  /** The audit block comes, and validators decide. */
  async function decide(roundId: string, audits = false): Promise<void> {
    await rounds.mine(roundId, audits)
    await rounds.tick(roundId)
  }

  return { rounds, offered, accepted, later, silence, decide }
}
