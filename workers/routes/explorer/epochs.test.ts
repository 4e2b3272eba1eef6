import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { unixNow } from '../../../durable-objects/clock.ts'
import type { EpochReceipt } from '../../../protocol/earnings/index.ts'
import { services } from '../../services.ts'
import { bodyOf, client, expectInvalid, expectRefusal, itemsOf, pagesOf } from '../../test/client.ts'
import {
  createProject,
  createValidators,
  indexState,
  submitReceipt,
  type TestProject,
} from '../../test/epochs.ts'
import { emptyTables, rowsOf, runSql } from '../../test/tables.ts'

const read = (path: string) => bodyOf(client().get(path))
const list = (path: string) => itemsOf(client().get(path))

const validators = await createValidators(3)
let project: TestProject
beforeEach(async () => {
  await emptyTables('epoch_receipts', 'epoch_shares', 'chain_states', 'hub_actions')
  project = await createProject()
  await runSql('UPDATE projects SET created_at = ? WHERE project_id = ?', unixNow(), project.projectId)
})

/** Submits the receipt of the epoch that is `back` epochs before the last one. */
const attest = (back = 0, of = project) => submitReceipt(of, { by: validators, epoch: of.lastEpoch - back })

const subjectOf = ({ vault_address, round }: EpochReceipt) => `${vault_address}:${round}`

/** The chain's state of an epoch that was posted. */
const posted = ({ merkle_root, receipt_hash }: EpochReceipt, release_at: number) => ({
  merkle_root,
  receipt_hash,
  posted_tx: `0x${'0e'.repeat(32)}`,
  posted_at: unixNow(),
  release_at,
  vetoed: false,
  reopened: false,
})

describe('GET /v1/explorer/epochs/{project_id}/{epoch}', () => {
  const get = (epoch: number) => read(`/v1/explorer/epochs/${project.projectId}/${epoch}`)

  test('follows the chain through every status, forward and back', async () => {
    const receipt = await attest()
    const subject = subjectOf(receipt)
    const shown = async () => {
      const { status, settlement } = await get(receipt.round)
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
    // A late note does not change an epoch that is posted.
    await services(env).epochs.note(subject, { state: 'underfunded', settlement: 'queued', error: 'x' })
    expect(await shown()).toEqual(['released', 'released', before])
  })

  test('a posted root that differs from the attested one does not settle the epoch', async () => {
    const receipt = await attest()
    await indexState('epoch', subjectOf(receipt), {
      ...posted(receipt, unixNow()),
      merkle_root: `0x${'0f'.repeat(32)}`,
    })
    expect(await get(receipt.round)).toMatchObject({ status: 'attested', settlement: { status: 'queued' } })
  })

  test('returns to attested when the index is deleted', async () => {
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
    await runSql('UPDATE projects SET created_at = 1 WHERE project_id = ?', projectId)
    expect(await get(lastEpoch)).toMatchObject({ status: 'closed' })
  })

  test('404 not_found: a future epoch, an epoch before the project, and a project that is not public', async () => {
    const { projectId, lastEpoch, runningEpoch } = project
    const path = `/v1/explorer/epochs/${projectId}`
    for (const epoch of [runningEpoch + 1, lastEpoch, 0])
      await expectRefusal(client().get(`${path}/${epoch}`), '404 not_found')
    await runSql("UPDATE projects SET listing_status = 'pending_review' WHERE project_id = ?", projectId)
    await expectRefusal(client().get(`${path}/${runningEpoch}`), '404 not_found')
    expect(await list(`/v1/explorer/epochs?project_id=${projectId}`)).toEqual([])
  })
})

describe('lists of epochs', () => {
  test('are newest first, without gap or repetition; the list of a project starts with its running epoch', async () => {
    for (const back of [3, 1, 2]) await attest(back)
    const { projectId, lastEpoch, runningEpoch } = project
    const expected = [runningEpoch, ...[1, 2, 3].map((back) => lastEpoch - back)]
    for (const path of [`/v1/projects/${projectId}/epochs`, `/v1/explorer/epochs?project_id=${projectId}`]) {
      const pages = await pagesOf(client(), path, 1)
      expect(pages.flat().map(({ epoch }) => epoch)).toEqual(expected)
    }
    const other = await createProject()
    await attest(0, other)
    const all = await list('/v1/explorer/epochs')
    expect(all.map(({ epoch }) => epoch)).toEqual([other.lastEpoch, ...expected.slice(1)])
  })

  test('filters distinguish settled from released epochs, and find each status', async () => {
    const states = {
      settled: await attest(0),
      released: await attest(1),
      vetoed: await attest(2),
      attested: await attest(3),
      underfunded: await attest(4),
      submitted: await attest(5),
    }
    const { settled, released, vetoed, underfunded, submitted } = states
    await indexState('epoch', subjectOf(settled), posted(settled, unixNow() + 3_600))
    await indexState('epoch', subjectOf(released), posted(released, unixNow() - 3_600))
    await indexState('epoch', subjectOf(vetoed), { vetoed: true, reopened: false })
    const { epochs } = services(env)
    await epochs.note(subjectOf(underfunded), { state: 'underfunded', settlement: 'queued', error: 'empty' })
    await epochs.note(subjectOf(submitted), { state: 'submitted', settlement: 'sent', error: null })
    for (const [status, receipt] of Object.entries(states))
      for (const filter of ['', `&project_id=${project.projectId}`])
        expect(await list(`/v1/explorer/epochs?status=${status}${filter}`)).toMatchObject([
          { status, epoch: receipt.round },
        ])
    for (const status of ['open', 'closed'])
      await expectInvalid(client().get(`/v1/explorer/epochs?status=${status}`), 'project_id')
    const open = `/v1/explorer/epochs?status=open&project_id=${project.projectId}`
    expect(await list(open)).toMatchObject([{ status: 'open' }])
  })

  test('every filter reads one range of an index', async () => {
    const plans: string[] = []
    for (const where of [
      '',
      "WHERE project_id = 'p'",
      "WHERE state = 'vetoed'",
      "WHERE project_id = 'p' AND state = 'vetoed'",
      "WHERE state = 'settled' AND release_at <= 7",
    ]) {
      const results = await rowsOf<{
        detail: string
      }>(`EXPLAIN QUERY PLAN SELECT * FROM epoch_receipts ${where}
        ORDER BY starts_at DESC, project_id DESC, epoch DESC LIMIT 20`)
      plans.push(...results.map(({ detail }) => detail))
    }
    expect(plans.join('\n')).not.toMatch(/TEMP B-TREE|SCAN epoch_receipts$/)
  })
})
