import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { buildPayoutTree, type EpochReceipt } from '../../../protocol/earnings/index.ts'
import { deriveNodeId, type GivenProfile, resolveProfile } from '../../../protocol/identity/index.ts'
import type { ProjectRules } from '../../../protocol/manifest/index.ts'
import type { VectorCase } from '../../../protocol/vectors/format.ts'
import known from '../../../protocol/vectors/receipt-v2.json'
import renamed from '../../../protocol/vectors/renamed.json'
import { services } from '../../services.ts'
import { createNode, insertNode, type TestNode } from '../../test/callers.ts'
import {
  bodyOf,
  client,
  expectAnswer,
  expectInvalid,
  expectRefusal,
  statusAndBody,
  statusesOf,
} from '../../test/client.ts'
import { countedDatabase } from '../../test/counted-database.ts'
import {
  attested,
  createProject,
  createValidators,
  epochPath,
  miner,
  receiptOf,
  type TestProject,
} from '../../test/epochs.ts'
import { type Json, knownAnswers } from '../../test/known-answers.ts'
import { knowProject } from '../../test/known-project.ts'
import { emptyTables, rowsOf, runSql, setListingStatus } from '../../test/tables.ts'
import { addValidators, setValidators } from '../../test/validators.ts'

const submit = (node: TestNode | undefined, receipt: unknown): Promise<Response> => {
  if (node === undefined) throw new Error('there is no such validator')
  return node.call('POST', epochPath, receipt)
}

const sharesOf = ({ project_id, round }: EpochReceipt) =>
  rowsOf(
    'SELECT miner, units, amount, leaf FROM epoch_shares WHERE project_id = ? AND epoch = ? ORDER BY miner',
    project_id,
    round,
  )

let validators: TestNode[]
let project: TestProject
beforeEach(async () => {
  validators = await createValidators(4)
  project = await createProject()
})

describe('POST /v1/nodes/epoch-receipts', () => {
  test('202: the receipt is stored with the share of each miner, and the hub wants to post its root', async () => {
    const receipt = receiptOf(project, { by: validators.slice(1) })
    const answer = await submit(validators[0], receipt)
    const location = answer.headers.get('Location') ?? ''
    expect(await statusAndBody(Promise.resolve(answer))).toEqual([
      202,
      { status: 'queued', receipt_hash: receipt.receipt_hash, attestations_counted: 3, quorum: 3 },
    ])
    const { compute_units, totals, merkle_root, receipt_hash, vault_address, round } = receipt
    expect(await sharesOf(receipt)).toEqual(compute_units.map((one, leaf) => ({ ...one, leaf })))
    const { gross, miner: miners, developer, treasury } = totals
    expect(await services(env).hubActions.find('post_epoch', `${vault_address}:${round}`)).toMatchObject({
      state: 'open',
      wanted: { merkle_root, receipt_hash, gross, miner: miners, developer, treasury },
    })
    expect(await services(env).epochs.receipt(receipt_hash)).toEqual(receipt)
    expect(location).toBe(`/v1/explorer/epochs/${project.projectId}/${round}`)
    await expectAnswer(client().get(location), 200, {
      status: 'attested',
      totals,
      merkle_root,
      settlement: { status: 'queued', error: null },
      receipt,
    })
  })

  test('202: hundreds of validators attest it', async () => {
    const many = await createValidators(300)
    const answer = submit(many[0], receiptOf(project, { by: many }))
    await expectAnswer(answer, 202, { attestations_counted: 300, quorum: 201 })
  })

  test('400 invalid_field: names a missing, wrong or unknown member', async () => {
    const receipt = receiptOf(project, { by: validators })
    const { merkle_root: _, ...less } = receipt
    const attestations = Array.from({ length: 1_025 }, () => receipt.attestations[0])
    for (const [body, path] of [
      [less, 'receipt'],
      [{ ...receipt, more: 1 }, 'more'],
      [{ ...receipt, v: 1 }, 'v'],
      [{ ...receipt, compute_units: receipt.compute_units.toReversed() }, 'compute_units'],
      [{ ...receipt, attestations }, 'attestations'],
    ] as const)
      await expectInvalid(submit(validators[0], body), path)
  })

  test('403 forbidden: too few validators of the epoch attested it; nothing is stored', async () => {
    const stranger = createNode()
    const [first, second] = validators as [TestNode, TestNode]
    for (const by of [[], [first, second], [first, second, stranger], [first, first, second, second]])
      await expectRefusal(submit(first, receiptOf(project, { by })), '403 forbidden', {
        details: { quorum: 3 },
      })
    expect(await services(env).epochs.find(project.projectId, project.lastEpoch)).toBeNull()
  })

  test('403 forbidden: the sender is not an approved validator, even if a quorum attested the receipt', async () => {
    const node = createNode()
    await insertNode(node)
    await expectRefusal(submit(node, receiptOf(project, { by: validators })), '403 forbidden')
  })

  test('409 duplicate: the epoch already has a receipt; another one changes nothing', async () => {
    const receipt = receiptOf(project, { by: validators })
    expect((await submit(validators[0], receipt)).status).toBe(202)
    const other = receiptOf(project, { by: validators, units: [{ miner: miner(1), units: 1 }] })
    for (const again of [receipt, other])
      await expectRefusal(submit(validators[1], again), '409 duplicate', {
        details: { status: 'duplicate' },
      })
    expect(
      await services(env).hubActions.find('post_epoch', `${receipt.vault_address}:${receipt.round}`),
    ).toMatchObject({
      revision: 1,
      wanted: { receipt_hash: receipt.receipt_hash },
    })
  })

  test('of 50 concurrent receipts, one is accepted and stored with only its own shares', async () => {
    const receipts = Array.from({ length: 50 }, (_, index) =>
      receiptOf(project, { by: validators, units: [{ miner: miner(index + 1), units: index + 1 }] }),
    )
    const answers = await Promise.all(receipts.map((receipt, i) => submit(validators[i % 4], receipt)))
    const taken = receipts.filter((_, i) => answers[i]?.status === 202)
    expect(await statusesOf(answers)).toEqual([202, ...Array(49).fill(409)])
    const [winner] = taken as [EpochReceipt]
    expect(await sharesOf(winner)).toEqual(winner.compute_units.map((one) => ({ ...one, leaf: 0 })))
    expect(await services(env).epochs.find(project.projectId, project.lastEpoch)).toMatchObject({
      receiptHash: winner.receipt_hash,
    })
    expect(
      await services(env).hubActions.find('post_epoch', `${winner.vault_address}:${winner.round}`),
    ).toMatchObject({ wanted: { receipt_hash: winner.receipt_hash } })
  })

  test('422 invalid_evidence: any sum is off by one, even if a quorum attested it', async () => {
    const right = receiptOf(project, { by: validators })
    const more = (amount: string) => String(BigInt(amount) + 1n)
    const { totals, compute_units } = right
    const [first, ...others] = compute_units as [EpochReceipt['compute_units'][number]]
    for (const change of [
      ...(['gross', 'miner', 'developer', 'treasury'] as const).map((name) => ({
        totals: { ...totals, [name]: more(totals[name]) },
      })),
      { totals: { ...totals, units: totals.units + 1 } },
      { compute_units: [{ ...first, amount: more(first.amount) }, ...others] },
      { compute_units: [{ ...first, units: first.units + 1 }, ...others] },
      { compute_units: [first] },
      { reward_token: miner(5) },
      { reward_model: 'epoch-pool' as const },
    ])
      await expectRefusal(
        submit(validators[0], attested({ ...body(right), ...change }, validators)),
        '422 invalid_evidence',
      )
    expect((await submit(validators[0], right)).status).toBe(202)
  })

  test('422 invalid_evidence: a running epoch, a sum of units above the safe integers, a hidden project', async () => {
    const running = receiptOf(project, { by: validators, epoch: project.runningEpoch })
    const max = Number.MAX_SAFE_INTEGER
    const right = receiptOf(project, { by: validators })
    const compute_units = right.compute_units.map((one) => ({ ...one, units: max }))
    const hidden = await createProject()
    await setListingStatus(hidden.projectId, 'pending_review')
    for (const receipt of [
      running,
      attested({ ...body(right), compute_units }, validators),
      receiptOf(hidden, { by: validators }),
      receiptOf({ ...project, projectId: `0x${'0f'.repeat(32)}` }, { by: validators }),
    ])
      await expectRefusal(submit(validators[0], receipt), '422 invalid_evidence')
  })

  test('an epoch is paid by the consensus at its start, even if the consensus has changed since', async () => {
    const { projectId, lastEpoch } = project
    const newer: ProjectRules = {
      ...project.consensus,
      economics: { ...project.consensus.economics, reward_per_unit: '1' },
    }
    const { consensus_hash: newerHash } = receiptOf({ ...project, consensus: newer }, { by: [] })
    await env.DB.batch([
      env.DB.prepare(
        "UPDATE project_versions SET status = 'superseded' WHERE project_id = ? AND version = 1",
      ).bind(projectId),
      env.DB.prepare(
        `INSERT INTO project_versions (project_id, version, status, manifest_hash, consensus_hash, manifest, signature,
          token, tiers_changed, boundary_secs, epoch_secs, submitted_at, effective_at)
        SELECT project_id, 2, 'active', ?1, ?2, json_set(manifest, '$.consensus', json(?3)), signature, token,
          '["consensus"]', boundary_secs, epoch_secs, 1, ?4 * epoch_secs FROM project_versions WHERE project_id = ?5`,
      ).bind(`0x${'0e'.repeat(32)}`, newerHash, JSON.stringify(newer), lastEpoch, projectId),
    ])
    const old = { ...project, lastEpoch: lastEpoch - 1 }
    const changed = { ...project, consensus: newer }
    for (const [given, status] of [
      [project, 422],
      [{ ...changed, lastEpoch: lastEpoch - 1 }, 422],
      [old, 202],
      [changed, 202],
    ] as const)
      expect((await submit(validators[0], receiptOf(given, { by: validators }))).status).toBe(status)
  })

  test('503 unavailable: the file cannot be stored; nothing is left, and a later try is accepted', async () => {
    const put = () => Promise.reject(new Error('R2 is overloaded'))
    const broken = { ...env.MODULES, put } as unknown as R2Bucket
    const blocked = createNode({ bindings: { MODULES: broken } })
    await addValidators([blocked])
    const quorumOf5 = receiptOf(project, { by: validators })
    await expectRefusal(submit(blocked, quorumOf5), '503 unavailable')
    expect(await sharesOf(quorumOf5)).toEqual([])
    expect((await submit(validators[0], quorumOf5)).status).toBe(202)
  })
})

/** The hashed members. */
const body = ({ receipt_hash: _, attestations: __, ...hashed }: EpochReceipt) => hashed

describe('every amount equals a second computation', () => {
  const amounts = (consensus: ProjectRules, units: number[]) => {
    const { economics, work } = consensus
    const cap = (BigInt(economics.daily_emission) * BigInt(work.epoch_secs)) / 86_400n
    const all = units.reduce((sum, own) => sum + BigInt(own), 0n)
    const wanted = units.map((own) => BigInt(own) * BigInt(economics.reward_per_unit))
    const sum = wanted.reduce((total, g) => total + g, 0n)
    const g =
      economics.reward_model === 'epoch-pool'
        ? units.map((own) => (cap * BigInt(own)) / all)
        : wanted.map((one) => (sum > cap ? (one * cap) / sum : one))
    return {
      paid: g.map((one) => String((one * BigInt(economics.fee_split_bp.miner)) / 10_000n)),
      gross: g.reduce((total, one) => total + one, 0n),
    }
  }
  test.each(['per-unit', 'epoch-pool'] as const)('%s', async (reward_model) => {
    for (const daily_emission of ['512000000000000000000', '86400000000007']) {
      const one = await createProject({ economics: { reward_model, daily_emission } })
      const units = [1, 7, 999, 12_345].map((own, i) => ({ miner: miner(i + 1), units: own }))
      const receipt = receiptOf(one, { by: validators, units })
      expect((await submit(validators[0], receipt)).status).toBe(202)
      const { paid, gross } = amounts(
        one.consensus,
        units.map(({ units: own }) => own),
      )
      expect((await sharesOf(receipt)).map(({ amount }) => amount)).toEqual(paid)
      const { totals } = (await services(env).epochs.find(one.projectId, one.lastEpoch)) ?? {}
      const sum = BigInt(totals?.miner ?? 0) + BigInt(totals?.developer ?? 0) + BigInt(totals?.treasury ?? 0)
      expect([BigInt(totals?.gross ?? 0), sum]).toEqual([gross, gross])
    }
  })
})

describe('an epoch of 10,000 recipients', () => {
  test('is stored completely, with a proof for each recipient, and writes at most 30 rows for each', async () => {
    const large = await createProject({
      economics: { max_recipients_per_epoch: 10_000, max_units_per_epoch: 1_000_000_000 },
    })
    const units = Array.from({ length: 10_000 }, (_, index) => ({
      miner: miner(index + 1),
      units: index + 1,
    }))
    const receipt = receiptOf(large, { by: validators, units })
    const { db, use } = countedDatabase()
    const bringer = createNode({ bindings: { DB: db } }, validators[0]?.seed)
    expect((await submit(bringer, receipt)).status).toBe(202)
    // The share, its place in three indexes, the sum of its day, and its places in eight leaderboards; the rest is of the receipt itself.
    expect(use.rowsWritten).toBeLessThan(30 * 10_000 + 50)
    expect(use.roundTrips).toBeLessThan(20)
    const shares = await sharesOf(receipt)
    expect(shares.length).toBe(10_000)
    const tree = buildPayoutTree(large.projectId, large.lastEpoch, receipt.compute_units)
    const row = await services(env).epochs.find(large.projectId, large.lastEpoch)
    for (const index of [0, 4_999, 9_999])
      expect(
        await services(env).epochs.proof(row as NonNullable<typeof row>, shares[index]?.leaf as number),
      ).toEqual(tree?.leaves[index]?.proof)
  })
})

describe('known answers, submitted through the route', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(1_900_000_000_000)
  })
  afterEach(() => vi.useRealTimers())

  /** The seeds of the validators that the answers name. */
  const seeds: string[] = known.cases[0]?.input.seeds ?? []
  const answers = knownAnswers(known)
  const posted = answers.filter(({ input }) => input.posted !== undefined)
  const isValid = ({ output: { recomputes, attestations_counted, quorum } }: VectorCase) =>
    recomputes === true && attestations_counted >= quorum
  const computed = answers.filter(({ output }) => output.receipt !== undefined && output.receipt !== null)

  /** The member or the rule that a refusal names. */
  const rules: Record<string, [status: number, rule: string]> = {
    below_the_quorum: [403, '3 validators of the epoch attested this receipt, and 4 are needed'],
    attested_by_strangers: [403, '0 validators of the epoch attested'],
    attestations_repeated: [403, '2 validators of the epoch attested'],
    attestations_over_another_receipt: [403, '0 validators of the epoch attested'],
    another_amount: [422, 'compute_units: differs from the result of the units'],
    another_total: [422, 'totals: differs from the result of the units'],
    another_root: [422, 'merkle_root: differs from the result of the units'],
    another_vault: [422, 'vault_address: differs from the result of the units'],
    another_chain: [422, 'chain_id: differs from the result of the units'],
    stated_hash_of_another: [422, 'receipt_hash: differs from the result of the units'],
    another_consensus: [422, 'The consensus of the epoch is'],
    units_above_the_cap: [422, 'The consensus of the epoch is'],
    descending_miners: [400, 'compute_units'],
    further_member: [400, 'is not a member of a receipt'],
    first_version: [400, 'v: '],
    units_of_zero: [400, 'compute_units'],
    totals_as_numbers: [400, 'totals'],
    no_object: [400, 'receipt'],
  }

  /** The project that an answer is about, under the consensus it names, on the network it names. */
  async function prepare(
    { consensus, validators: keys }: Json,
    projectId: string,
    given: GivenProfile = {},
  ): Promise<TestNode> {
    const profile = resolveProfile(given)
    await emptyTables('epoch_receipts', 'epoch_shares', 'hub_actions', 'nodes')
    await knowProject(projectId, consensus)
    await setValidators(
      keys.map((publicKey: string) => ({ publicKey, nodeId: deriveNodeId(profile, publicKey) })),
    )
    return createNode({ bindings: { PROFILE: JSON.stringify(given) } }, seeds[0])
  }

  /** Expects that the epoch shows the receipt as it was posted. */
  async function expectTaken(response: Response, receipt: Json, counted: object): Promise<void> {
    const { receipt_hash, merkle_root, totals, project_id, round } = receipt
    expect(await statusAndBody(response)).toMatchObject([202, { receipt_hash, ...counted }])
    expect(await bodyOf(client().get(`/v1/explorer/epochs/${project_id}/${round}`))).toMatchObject({
      receipt_hash,
      merkle_root,
      totals,
      receipt,
    })
  }

  test.each(posted.filter(isValid))('$name is accepted', async ({ input, output }) => {
    const bringer = await prepare(input, input.posted.project_id)
    const { attestations_counted, quorum } = output
    await expectTaken(await submit(bringer, input.posted), input.posted, { attestations_counted, quorum })
  })

  test.each(posted.filter((one) => !isValid(one)))(
    '$name is refused with the rule that it breaks',
    async ({ name, input }) => {
      const projectId = input.posted?.project_id ?? `0x${'0f'.repeat(32)}`
      const bringer = await prepare(input, projectId)
      const [status, rule] = rules[name] ?? []
      await expectRefusal(
        submit(bringer, input.posted),
        `${status} ${{ 400: 'invalid_field', 403: 'forbidden', 422: 'invalid_evidence' }[status ?? 0]}`,
        { message: expect.stringContaining(rule ?? 'a rule of this table') },
      )
    },
  )

  test.each(computed)('$name is accepted as it was computed', async ({ input, output }) => {
    const bringer = await prepare(input, input.project_id, { chain_id: input.chain_id })
    await expectTaken(await submit(bringer, output.receipt), output.receipt, {
      attestations_counted: 4,
      quorum: output.quorum,
    })
  })

  test.each(renamed.topics['receipt-v2'] as VectorCase[])(
    '$name is accepted on a network of another name',
    async ({ input, output }) => {
      const bringer = await prepare(input, input.project_id, { ...renamed.profile, chain_id: input.chain_id })
      await expectTaken(await submit(bringer, output.receipt), output.receipt, { attestations_counted: 4 })
      // The same receipt is attested by nobody where the network is called otherwise.
      await emptyTables('epoch_receipts', 'epoch_shares', 'hub_actions')
      const elsewhere = createNode({}, seeds[0])
      await runSql('UPDATE nodes SET node_id = ? WHERE public_key = ?', elsewhere.nodeId, elsewhere.publicKey)
      await expectRefusal(submit(elsewhere, output.receipt), '403 forbidden', {
        message: expect.stringContaining('0 validators of the epoch attested'),
      })
    },
  )
})
