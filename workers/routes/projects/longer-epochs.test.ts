import { beforeEach, describe, expect, test } from 'vitest'
import { networkNow } from '../../test/callers.ts'
import { bodyOf, client, expectRefusal, pagesOf } from '../../test/client.ts'
import { createProject } from '../../test/epochs.ts'
import { emptyTables, runSql } from '../../test/tables.ts'

interface Epoch {
  readonly epoch: number
  readonly starts_at: number
  readonly rounds: number
}

const hour = 3_600
const now = await networkNow()

/** A project that had epochs of an hour, and has longer ones, with smaller numbers, since a time. */
async function lengthened(epochSecs: number, since: number): Promise<string> {
  const { projectId } = await createProject()
  await runSql("UPDATE project_versions SET status = 'superseded' WHERE project_id = ?", projectId)
  await runSql(
    `INSERT INTO project_versions (project_id, version, status, manifest, manifest_hash, consensus_hash, signature, token,
       tiers_changed, boundary_secs, epoch_secs, submitted_at, effective_at, effective_epoch)
     SELECT project_id, 2, 'active', json_set(manifest, '$.consensus.work.epoch_secs', ?3), 'm2', 'c2', signature, token,
       tiers_changed, ?3, ?3, submitted_at, ?2, ?2 / ?3 FROM project_versions WHERE project_id = ?1`,
    ...[projectId, since, epochSecs],
  )
  const monthBefore = since - 30 * 24 * hour
  await runSql('UPDATE projects SET version = 2, created_at = ? WHERE project_id = ?', monthBefore, projectId)
  return projectId
}

const counted = (projectId: string, epoch: number, epochSecs: number, rounds: number) =>
  runSql(
    `INSERT INTO epoch_rounds (project_id, epoch, ends_at, terms, rounds, finalized, fallback, units, primaries, answered)
     VALUES (?1, ?2, (?2 + 1) * ?3, json_object('epoch_secs', ?3), ?4, ?4, 0, 0, 0, 0)`,
    ...[projectId, epoch, epochSecs, rounds],
  )

beforeEach(() => emptyTables('archives', 'epoch_rounds', 'epoch_receipts'))

describe('epochs that took an hour take two hours since some of them', () => {
  const running = Math.floor(now / (2 * hour))
  const change = (running - 2) * 2 * hour
  const lastHourly = change / hour - 1

  test('archives are listed newest first, and lists of rounds say since when they are whole', async () => {
    const projectId = await lengthened(2 * hour, change)
    const ended = [
      ...[lastHourly - 1, lastHourly].map((epoch) => ({ epoch, at: epoch * hour + 5 })),
      ...[running - 2, running - 1].map((epoch) => ({ epoch, at: epoch * 2 * hour + 5 })),
    ]
    for (const { epoch, at } of ended)
      await runSql(
        `INSERT INTO archives (project_id, epoch, rounds, bytes, sha256, last_issued_at, archived_at)
         VALUES (?1, ?2, 1, 1, 'x', ?3, ?3)`,
        ...[projectId, epoch, at],
      )
    const { archived_before } = await bodyOf(client().get(`/v1/projects/${projectId}/rounds`))
    expect(archived_before).toBe(ended.at(-1)!.at + 1)
    const pages = await pagesOf(client(), `/v1/projects/${projectId}/archives`, 1)
    expect(pages.flat().map(({ epoch }) => epoch)).toEqual(ended.map(({ epoch }) => epoch).toReversed())
  })

  test('the running epoch and the one before it show their rounds', async () => {
    const projectId = await lengthened(2 * hour, change)
    for (const epoch of [lastHourly - 1, lastHourly]) await counted(projectId, epoch, hour, 7)
    for (const epoch of [running - 1, running]) await counted(projectId, epoch, 2 * hour, 12)
    const { items } = await bodyOf(client().get(`/v1/projects/${projectId}/epochs`))
    expect(items.map(({ epoch, rounds }: Epoch) => [epoch, rounds])).toEqual([
      [running, 12],
      [running - 1, 12],
    ])
  })

  test('an epoch of either length can be read, and no other number is one', async () => {
    const projectId = await lengthened(2 * hour, change)
    await counted(projectId, lastHourly, hour, 7)
    const read = (epoch: number) => client().get(`/v1/explorer/epochs/${projectId}/${epoch}`)
    expect(await bodyOf(read(lastHourly))).toMatchObject({
      ...{ epoch_secs: hour, starts_at: change - hour, ends_at: change, status: 'closed', rounds: 7 },
    })
    expect(await bodyOf(read(running))).toMatchObject({ epoch_secs: 2 * hour, status: 'open' })
    for (const epoch of [lastHourly + 1, running - 3, running + 1])
      await expectRefusal(read(epoch), '404 not_found')
  })
})

test('pages skip no epoch while the first longer one runs, and show the last shorter one before it is attested', async () => {
  const [running, change] = [Math.floor(now / (24 * hour)), now - (now % (24 * hour))]
  const projectId = await lengthened(24 * hour, change)
  const hourly = [1, 2, 3, 4].map((back) => change / hour - back)
  for (const epoch of hourly.slice(1))
    await runSql(
      `INSERT INTO epoch_receipts (project_id, epoch, epoch_secs, starts_at, vault, consensus_hash, receipt_hash, merkle_root,
         token, totals, recipients, leaves, attestations, accepted_at, state, settlement)
       SELECT project_id, ?2, 3600, 3600 * ?2, ?3, ?4, ?4, ?4, token,
         '{"units":1,"gross":"1","miner":"1","developer":"0","treasury":"0"}', 1, 1, 3, 3600 * (?2 + 1), 'attested', 'queued'
       FROM projects WHERE project_id = ?1`,
      ...[projectId, epoch, `0x${'0a'.repeat(20)}`, `0x${epoch.toString(16).padStart(64, '0')}`],
    )
  const pages = (await pagesOf(client(), `/v1/projects/${projectId}/epochs`, 2)) as unknown as Epoch[][]
  expect(pages.flat().map(({ epoch, starts_at }) => [epoch, starts_at])).toEqual([
    [running, change],
    ...hourly.map((epoch) => [epoch, epoch * hour]),
  ])
})
