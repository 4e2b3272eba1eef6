import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { attestSnapshot, hashSnapshot } from '../../../protocol/committees/index.ts'
import { hashCanonicalJson, hashText } from '../../../protocol/encoding/index.ts'
import { deriveNodeId, type GivenProfile, resolveProfile } from '../../../protocol/identity/index.ts'
import type { VectorCase } from '../../../protocol/vectors/format.ts'
import receipts from '../../../protocol/vectors/receipt-v2.json'
import renamed from '../../../protocol/vectors/renamed.json'
import known from '../../../protocol/vectors/snapshot.json'
import { ProjectSets } from '../../committees/project-sets.ts'
import { type Env, readSettings } from '../../env.ts'
import { services } from '../../services.ts'
import { createNode } from '../../test/callers.ts'
import { bodyOf, client, errorOf, expectRefusal, statusAndBody } from '../../test/client.ts'
import { keepSet } from '../../test/kept-set.ts'
import { type Json, knownAnswers } from '../../test/known-answers.ts'
import { knowProject } from '../../test/known-project.ts'
import { ScriptedBlocks } from '../../test/scripted-blocks.ts'
import { emptyTables, runSql } from '../../test/tables.ts'
import { setValidators } from '../../test/validators.ts'

const answers = knownAnswers(known)
const snapshots = answers.filter(({ input }) => input.seeds !== undefined)
const valid = snapshots.filter(({ output }) => output.error === undefined)
const invalid = snapshots.filter(({ output }) => output.error !== undefined)
const attested = answers.filter(({ input }) => input.set_hash !== undefined)
const [ordinary] = valid as [VectorCase]
const { consensus } = receipts.common as Json
const { size, min_size, backups } = consensus.work.committee

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await emptyTables('committee_sets', 'committee_set_attestations', 'nodes', 'validator_generations')
})
afterEach(() => vi.useRealTimers())

/** Lets the hub have built the set of a case, in its epoch. */
async function know({ snapshot }: Json): Promise<string> {
  vi.setSystemTime((snapshot.epoch * snapshot.epoch_secs + 1) * 1_000)
  await knowProject(snapshot.project_id, consensus)
  return keepSet(snapshot, { size, min_size, backups })
}

const approve = (given: GivenProfile, keys: readonly string[]) => {
  const profile = resolveProfile(given)
  return setValidators(
    keys.map((publicKey, i) => ({
      ...{ publicKey, nodeId: deriveNodeId(profile, publicKey) },
      url: `https://validator-${i}.example`,
    })),
    { profile },
  )
}

const publicPath = ({ project_id, epoch }: Json) => `/v1/committees/${project_id}/${epoch}`
const nodePath = ({ project_id, epoch }: Json) => `/v1/nodes/committee-sets/${project_id}/${epoch}`

/** The validators of a case, on a hub of the network that its snapshot names. */
async function createValidators(input: Json, given: GivenProfile) {
  const hub = { bindings: { PROFILE: JSON.stringify({ ...given, network: input.snapshot.network }) } }
  const validators = (input.seeds as string[]).map((seed) => createNode(hub, seed))
  await approve(
    given,
    validators.map(({ publicKey }) => publicKey),
  )
  return { hub: client(hub), validators }
}

async function expectAttested({ input, output }: VectorCase, given: GivenProfile = {}): Promise<void> {
  expect(await know(input)).toBe(output.set_hash)
  const { hub, validators } = await createValidators(input, given)
  const path = nodePath(input.snapshot)
  for (const [i, validator] of validators.entries()) {
    const kept = await validator.call('GET', path)
    expect(hashCanonicalJson(await kept.json())).toBe(output.set_hash)
    expect((await validator.call('POST', path, output.attestations[i])).status).toBe(200)
  }
  const { set_hash, attestations } = output
  const shown: Json = await bodyOf(hub.get(publicPath(input.snapshot)))
  expect(shown).toMatchObject({ snapshot: input.snapshot, set_hash, valid: true })
  expect(new Set(shown.attestations)).toEqual(new Set(attestations))
}

describe('sets that the hub built', () => {
  test.each(valid)('$name: its attestations are accepted, and the set is shown', async (one) =>
    expectAttested(one),
  )

  test.each(renamed.topics.snapshot as VectorCase[])(
    '$name: its attestations are accepted on a network of another name',
    async (one) => expectAttested(one, renamed.profile),
  )

  test.each(invalid)(
    '$name: a validator that attests such a set gets an error that names the set',
    async ({ input }) => {
      const setHash = await know(ordinary.input)
      const { validators } = await createValidators(ordinary.input, {})
      for (const { key, call } of validators) {
        const attestation = attestSnapshot(resolveProfile(), key, hashCanonicalJson(input.snapshot))
        await expectRefusal(
          call('POST', nodePath(ordinary.input.snapshot), attestation),
          '422 invalid_evidence',
          {
            message: expect.stringContaining(`signature is not from this node over the set ${setHash}`),
            details: { path: 'signature', set_hash: setHash },
          },
        )
      }
      const { project_id, epoch } = ordinary.input.snapshot
      const set = await services(env).committeeSets.find(project_id, epoch)
      expect(set?.attestations).toEqual([])
    },
  )
})

describe('the answers of validators to the hub', () => {
  const hub: Env = { ...env, COORDINATOR_SEED: `0x${'5e'.repeat(32)}` }
  const advance = (projectId: string) => new ProjectSets(services(hub), readSettings(hub)).advance(projectId)

  test.each(attested)('$name: $output', async ({ input, output }) => {
    const { snapshot } = ordinary.input
    expect(await know(ordinary.input)).toBe(input.set_hash)
    await approve({}, input.validators)
    const chain = new ScriptedBlocks()
    chain.install()
    // Each validator answers with its own attestations one after the other, and one that has none with somebody else's.
    const others = input.attestations.filter((one: Json) => !input.validators.includes(one?.public_key))
    for (const [i, key] of input.validators.entries()) {
      const own = input.attestations.filter((one: Json) => one?.public_key === key)
      const said = own.length > 0 ? own : others
      chain.hosts.set(`validator-${i}.example`, () => Response.json(said.shift() ?? null))
    }
    for (let i = 0; i < 2; i++) await advance(snapshot.project_id)
    const shown = await client().get(publicPath(snapshot))
    if (!output.attested)
      return expect(await errorOf(shown)).toMatchObject({ status: 425, details: { reason: 'not_attested' } })
    expect(await statusAndBody(shown)).toMatchObject([200, { set_hash: input.set_hash, valid: true }])
  })
})

test('the hub builds the set of the known answer from its records', async () => {
  const [{ input, output }] = answers.filter(({ input: { candidates } }) => candidates !== undefined) as [
    VectorCase,
  ]
  const { project_id, epoch, beacon, candidates } = input
  const { epoch_secs } = input.consensus.work
  vi.setSystemTime((epoch * epoch_secs + 1) * 1_000)
  await knowProject(project_id, input.consensus)
  await emptyTables('subscriptions', 'devices', 'chain_states', 'beacons')
  await runSql(
    'INSERT INTO beacons (epoch_secs, epoch, block_number, block_hash) VALUES (?, ?, ?, ?)',
    epoch_secs,
    epoch,
    beacon.block_number,
    beacon.block_hash,
  )
  for (const candidate of candidates) await insertCandidate(project_id, candidate, beacon.block_number)
  await new ProjectSets(services(env), readSettings(env)).advance(project_id)
  const set = await services(env).committeeSets.find(project_id, epoch)
  expect(await services(env).committeeSets.readSnapshot(set?.setHash ?? '')).toEqual(output.snapshot)
  expect(set?.setHash).toBe(hashSnapshot(output.snapshot))
})

/** Inserts the hub's rows and the chain state of a subscription that may be eligible. */
async function insertCandidate(projectId: string, candidate: Json, block: number): Promise<void> {
  const { node_key: key, subscription_id, owner, payout_address, collateral, reputation, binding } = candidate
  const state = {
    status: 'bonded',
    owner,
    collateral,
    payout: payout_address,
    started_at: 1,
    release_at: null,
  }
  await runSql(
    `INSERT INTO subscriptions (subscription_id, project_id, owner, node_id, node_key, closings, paused_at, reputation,
      credited_rounds, missed_leases, disagreements, created_at) VALUES (?, ?, ?, ?, ?, 0, ?, ?, 0, 0, 0, 1)`,
    ...[subscription_id, projectId, owner, key, key, candidate.paused ? 1 : null, reputation],
  )
  await runSql(
    "INSERT INTO chain_states (kind, subject, state, block_number) VALUES ('subscription', ?, ?, ?)",
    ...[subscription_id, JSON.stringify(state), block],
  )
  if (binding !== null)
    await runSql(
      'INSERT INTO devices (node_id, public_key, owner, binding_hash, bound_at) VALUES (?, ?, ?, ?, 1)',
      // The hub has a key once, so a binding to another node gets a key that nobody has.
      ...[key, binding.public_key === key ? key : hashText(key), binding.owner, binding.binding_hash],
    )
  if (candidate.faulty)
    await runSql(
      "INSERT INTO nodes (node_id, public_key, role, status, url, registered_at, health) VALUES (?1, ?1, 'miner', 'approved', '', 1, 'faulty')",
      key,
    )
}
