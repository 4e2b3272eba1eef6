import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { unixNow } from '../../../durable-objects/clock.ts'
import { services } from '../../services.ts'
import { client, errorOf } from '../../test/client.ts'
import {
  createProject,
  createValidators,
  epochPath,
  indexState,
  receiptOf,
  type TestProject,
} from '../../test/epochs.ts'
import type { TestNode } from '../../test/node.ts'
import { emptyTables } from '../../test/tables.ts'

interface Page {
  items: { project_id: string; epoch: number; status: string }[]
  next_cursor: string | null
}
const read = async (path: string) => (await (await client().get(path)).json()) as Page
const statuses = async (path: string) => (await read(path)).items.map(({ status }) => status)

let validators: TestNode[]
beforeAll(async () => {
  validators = await createValidators(3)
})
let project: TestProject
beforeEach(async () => {
  await emptyTables('epoch_receipts', 'epoch_shares', 'chain_states', 'hub_actions')
  project = await createProject()
  await env.DB.prepare('UPDATE projects SET created_at = ? WHERE project_id = ?')
    .bind(unixNow(), project.projectId)
    .run()
})

/** Takes the receipt of an epoch, so many before the last one. */
async function attest(back = 0, of = project) {
  const receipt = receiptOf(of, { by: validators, epoch: of.lastEpoch - back })
  expect((await validators[0]?.call('POST', epochPath, receipt))?.status).toBe(202)
  return receipt
}

const subjectOf = ({ vault_address, round }: Awaited<ReturnType<typeof attest>>) =>
  `${vault_address}:${round}`

/** What the chain says once it was posted. */
const posted = ({ merkle_root, receipt_hash }: Awaited<ReturnType<typeof attest>>, release_at: number) => ({
  merkle_root,
  receipt_hash,
  posted_tx: `0x${'0e'.repeat(32)}`,
  posted_at: unixNow(),
  release_at,
  vetoed: false,
  reopened: false,
})

describe('GET /v1/explorer/epochs/{project_id}/{epoch}', () => {
  const get = async (epoch: number) =>
    (await client().get(`/v1/explorer/epochs/${project.projectId}/${epoch}`)).json()

  test('follows the chain through every state, forward and back', async () => {
    const receipt = await attest()
    const subject = subjectOf(receipt)
    const shown = async () => {
      const { status, settlement } = (await get(receipt.round)) as {
        status: string
        settlement: { status: string; tx_hash?: string; claimable_at?: number }
      }
      return [status, settlement.status, settlement.claimable_at]
    }
    const later = unixNow() + 3_600
    expect(await shown()).toEqual(['attested', 'queued', undefined])
    await services(env).epochs.note(subject, { state: 'submitted', settlement: 'sent', error: null })
    expect(await shown()).toEqual(['submitted', 'sent', undefined])
    await indexState('epoch', subject, posted(receipt, later))
    expect(await shown()).toEqual(['settled', 'settled', later])
    await indexState('epoch', subject, { vetoed: true })
    expect(await shown()).toEqual(['vetoed', 'vetoed', undefined])
    await indexState('epoch', subject, { reopened: true })
    expect(await shown()).toEqual(['attested', 'queued', undefined])
    const before = unixNow() - 1
    await indexState('epoch', subject, posted(receipt, before))
    expect(await shown()).toEqual(['released', 'released', before])
    // What is noted late says nothing of an epoch that is posted.
    await services(env).epochs.note(subject, { state: 'underfunded', settlement: 'queued', error: 'x' })
    expect(await shown()).toEqual(['released', 'released', before])
  })

  test('a root that is not the attested one settles nothing', async () => {
    const receipt = await attest()
    await indexState('epoch', subjectOf(receipt), {
      ...posted(receipt, unixNow()),
      merkle_root: `0x${'0f'.repeat(32)}`,
    })
    expect(await get(receipt.round)).toMatchObject({ status: 'attested', settlement: { status: 'queued' } })
  })

  test('is taken back when the index forgets what it read', async () => {
    const receipt = await attest()
    await indexState('epoch', subjectOf(receipt), posted(receipt, unixNow() - 1))
    expect(await get(receipt.round)).toMatchObject({ status: 'released' })
    await services(env).chainIndex.forget({ operator: `0x${'0a'.repeat(20)}`, reason: null }, unixNow())
    expect(await get(receipt.round)).toMatchObject({ status: 'attested', settlement: { status: 'queued' } })
  })

  test('an epoch without a receipt is open while it runs', async () => {
    const { projectId, lastEpoch, runningEpoch, consensus } = project
    const { epoch_secs } = consensus.work
    expect(await get(runningEpoch)).toMatchObject({
      project_id: projectId,
      status: 'open',
      miners: 0,
      ends_at: (runningEpoch + 1) * epoch_secs,
    })
    await env.DB.prepare('UPDATE projects SET created_at = 1 WHERE project_id = ?').bind(projectId).run()
    expect(await get(lastEpoch)).toMatchObject({ status: 'closed' })
  })

  test('404 not_found: an epoch ahead, one before the project, and a project that is not public', async () => {
    const { projectId, lastEpoch, runningEpoch } = project
    const notFound = { status: 404, error: 'not_found' }
    const path = `/v1/explorer/epochs/${projectId}`
    for (const epoch of [runningEpoch + 1, lastEpoch, 0])
      expect(await errorOf(await client().get(`${path}/${epoch}`))).toMatchObject(notFound)
    await env.DB.prepare("UPDATE projects SET listing_status = 'pending_review' WHERE project_id = ?")
      .bind(projectId)
      .run()
    expect(await errorOf(await client().get(`${path}/${runningEpoch}`))).toMatchObject(notFound)
    expect(await read(`/v1/explorer/epochs?project_id=${projectId}`)).toEqual({
      items: [],
      next_cursor: null,
    })
  })
})

describe('lists of epochs', () => {
  test('are newest first, without gap or repetition, with what runs at the head of those of a project', async () => {
    for (const back of [3, 1, 2]) await attest(back)
    const { projectId, lastEpoch, runningEpoch } = project
    const expected = [runningEpoch, ...[1, 2, 3].map((back) => lastEpoch - back)]
    for (const path of [
      `/v1/projects/${projectId}/epochs?`,
      `/v1/explorer/epochs?project_id=${projectId}&`,
    ]) {
      const seen: number[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await read(`${path}limit=1${cursor && `&cursor=${cursor}`}`)
        seen.push(...page.items.map(({ epoch }) => epoch))
        cursor = page.next_cursor
      }
      expect(seen).toEqual(expected)
    }
    const other = await createProject()
    await attest(0, other)
    const all = (await read('/v1/explorer/epochs')).items
    expect(all.map(({ epoch }) => epoch)).toEqual([other.lastEpoch, ...expected.slice(1)])
  })

  test('filters tell settled from released epochs, and find each state', async () => {
    const [settled, released, vetoed, attested, underfunded, submitted] = [
      await attest(0),
      await attest(1),
      await attest(2),
      await attest(3),
      await attest(4),
      await attest(5),
    ]
    await indexState('epoch', subjectOf(settled), posted(settled, unixNow() + 3_600))
    await indexState('epoch', subjectOf(released), posted(released, unixNow() - 3_600))
    await indexState('epoch', subjectOf(vetoed), { vetoed: true, reopened: false })
    const { epochs } = services(env)
    await epochs.note(subjectOf(underfunded), { state: 'underfunded', settlement: 'queued', error: 'empty' })
    await epochs.note(subjectOf(submitted), { state: 'submitted', settlement: 'sent', error: null })
    for (const [status, receipt] of Object.entries({
      settled,
      released,
      vetoed,
      attested,
      underfunded,
      submitted,
    }))
      for (const filter of ['', `&project_id=${project.projectId}`])
        expect((await read(`/v1/explorer/epochs?status=${status}${filter}`)).items).toMatchObject([
          { status, epoch: receipt.round },
        ])
    expect(await statuses('/v1/explorer/epochs?status=open')).toEqual([])
    expect(await statuses(`/v1/explorer/epochs?status=open&project_id=${project.projectId}`)).toEqual([
      'open',
    ])
  })

  test('every order and filter is one range of an index', async () => {
    const plans: string[] = []
    for (const where of [
      '',
      "WHERE project_id = 'p'",
      "WHERE state = 'vetoed'",
      "WHERE project_id = 'p' AND state = 'vetoed'",
      "WHERE state = 'settled' AND release_at <= 7",
    ]) {
      const { results } = await env.DB.prepare(
        `EXPLAIN QUERY PLAN SELECT * FROM epoch_receipts ${where}
        ORDER BY starts_at DESC, project_id DESC, epoch DESC LIMIT 20`,
      ).all<{ detail: string }>()
      plans.push(...results.map(({ detail }) => detail))
    }
    expect(plans.join('\n')).not.toMatch(/TEMP B-TREE|SCAN epoch_receipts$/)
  })
})
