import { expect, test } from 'vitest'
import {
  defaultNetworkParams,
  hashNetworkParams,
  makeSchedule,
  paramsAt,
} from '../../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../../protocol/signatures/index.ts'
import { coordinatorSeed, createGenerations, validatorSeeds } from '../../../testing/node/generations.ts'
import { shownRound } from '../../../testing/node/shown-round.ts'
import { attestedSet, createTestProject, profile } from '../../../testing/node/test-project.ts'
import { checkRound, trustRoot } from './checks.ts'
import type { Round } from './hub.ts'
import { readRecords, type Source } from './records.ts'

const generations = createGenerations(() => null)
generations.add(validatorSeeds)
const signers = validatorSeeds.slice(0, 3)
const { epoch, consensus } = createTestProject()
const from = epoch * consensus.work.epoch_secs
// A smaller unit of weight draws other members.
const change = { audit_bp: 2_000, gas_per_unit: 7, weight_unit_wei: '1' }
const schedule = makeSchedule(defaultNetworkParams, [{ from, params: change }])
const [before, after] = [1, 0].map((epochsAgo) =>
  createTestProject({ epochsAgo, params: paramsAt(schedule, from - epochsAgo) }),
)

/** An honest hub, in whose network parameters have just changed. */
const honest = {
  network: async () => ({ profile }),
  descriptor: async () => ({ coordinator: { public_key: ed25519PublicKey(coordinatorSeed) } }),
  generations: async () => generations.items(),
  set: async (_: string, of: number) => attestedSet((of === epoch ? after : before)!, signers),
  paramsAt: async (time: number) => {
    const params = paramsAt(schedule, time)
    return { params, params_hash: hashNetworkParams(params), next: null }
  },
  allVersions: async function* () {
    yield { version: 1, consensus_hash: after!.consensusHash }
  },
  version: async () => ({ signed_manifest: after!.envelope }),
  findReceipt: async () => null,
} as unknown as Source

/** The checks that do not hold, or could not be made. */
async function judge(source: Source, project: typeof after) {
  const round = shownRound(project!, signers) as unknown as Round
  const records = await readRecords(source, round.round_id, round, null)
  expect(trustRoot(records)).not.toBe(null)
  return [...checkRound(records)].filter(({ holds }) => holds !== true).map(({ name }) => name)
}

test('rounds before and after a change of parameters are valid under the parameters of their epoch', async () => {
  expect([await judge(honest, before), await judge(honest, after)]).toEqual([[], []])
})

test('a round is not valid under the parameters of another epoch', async () => {
  const swapped = { ...honest, paramsAt: (time: number) => honest.paramsAt(time < from ? from : from - 1) }
  for (const project of [before, after]) expect(await judge(swapped, project)).toContain('set')
})
