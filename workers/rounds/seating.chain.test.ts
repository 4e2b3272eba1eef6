import { env } from 'cloudflare:workers'
import { beforeAll, expect, test, vi } from 'vitest'
import type { RoundTerms } from '../../durable-objects/round/round.ts'
import { encodeCanonicalJson, hashText } from '../../protocol/encoding/index.ts'
import { defaultNetworkParams, resolveProfile } from '../../protocol/identity/index.ts'
import type { Task } from '../../protocol/rounds/index.ts'
import { services } from '../services.ts'
import { type CommitteeSet, CommitteeSetStore } from '../stores/committee-sets.ts'
import { openDatabase } from '../stores/database.ts'
import { requireSet, seatedOf } from '../test/attested-set.ts'
import { createValidators } from '../test/evidence.ts'
import { createSeatedProject } from '../test/final-rounds.ts'
import { seatRound } from './seating.ts'

/** In the next hours, so that no alarm of these tests is due by the clock of the machine. */
const epoch = Math.floor(Date.now() / 3_600_000) + 2
const profile = resolveProfile()

const drawing = { selection: 'collateral-reputation-sortition-v1', weight_cap_multiple: 10 } as const

let projectId: string
let set: CommitteeSet
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime((epoch * 3_600 + 160) * 1_000)
  ;({ projectId } = await createSeatedProject(5, epoch, await createValidators(4)))
  set = await requireSet(projectId, epoch)
})

const termsOf = (seq: number, setHash = set.setHash): RoundTerms => ({
  roundId: `task:${seq}`,
  taskId: `task ${seq}`,
  task: { project_id: projectId, epoch, seq, set_hash: setHash } as Task,
  input: '',
  rules: {
    committee: { ...set.committee, ...drawing },
    roundSecs: 60,
    leaseSecs: 30,
    acceptSecs: 10,
    snapshotAt: 0,
  },
  underfunded: false,
  paidUntil: 0,
  startedAtMs: 0,
})

test('rounds that start together read their set once, and read it again after a failure', async () => {
  const read = { times: 0, fails: true }
  const bucket = {
    get: async (key: string) => {
      read.times += 1
      if (read.fails) throw new Error('the bucket is overloaded')
      return env.MODULES.get(key)
    },
  } as unknown as R2Bucket
  const committeeSets = new CommitteeSetStore(openDatabase(env.DB), bucket, defaultNetworkParams)
  const seat = (count: number) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, seq) => seatRound({ profile, committeeSets }, termsOf(seq))),
    )
  expect((await seat(20)).filter(({ status }) => status === 'rejected')).toHaveLength(20)
  expect(read.times).toBe(1)
  read.fails = false
  const seated = await seat(20)
  expect(read.times).toBe(2)
  for (const [seq, one] of seated.entries()) {
    const seats = (await seatedOf({ project_id: projectId, epoch, seq } as Task)).seats
    expect(one).toMatchObject({ status: 'fulfilled', value: { set_hash: set.setHash, seq, seats } })
  }
})

test('the memory keeps one large set at a time, and several small ones', async () => {
  const snapshot = await services(env).committeeSets.readSnapshot(set.setHash)
  const [entry] = snapshot.entries
  const sets = { small: 10, 'other small': 10, large: 40_000, 'other large': 40_000 }
  const names = Object.keys(sets) as (keyof typeof sets)[]
  const reads: string[] = []
  const bucket = {
    get: async (key: string) => {
      const name = names.find((one) => key.endsWith(hashText(one))) ?? 'small'
      reads.push(name)
      const keyOf = (i: number) => `0x${i.toString(16).padStart(64, '0')}`
      const entries = Array.from({ length: sets[name] }, (_, i) => ({ ...entry, node_key: keyOf(i) }))
      return new Response(encodeCanonicalJson({ ...snapshot, entries }))
    },
  } as unknown as R2Bucket
  const committeeSets = new CommitteeSetStore(openDatabase(env.DB), bucket, defaultNetworkParams)
  for (const name of [...names, ...names.toReversed(), 'other small'])
    await seatRound({ profile, committeeSets }, termsOf(0, hashText(name)))
  expect(reads).toEqual(['small', 'other small', 'large', 'other large', 'large', 'other small', 'small'])
})
