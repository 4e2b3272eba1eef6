import { describe, expect, test } from 'vitest'
import type { ProjectManifest } from '../../../../protocol/manifest/index.ts'
import { signIn } from '../../../test/callers.ts'
import { bodyOf, client, expectRefusal, itemsOf, runSchedule, statusesOf } from '../../../test/client.ts'
import { indexState } from '../../../test/evidence.ts'
import { createDeveloper, hashesOf, signed, submitProject } from '../../../test/project.ts'
import { rowOf, rowsOf, runSql } from '../../../test/tables.ts'
import { createPublisher } from '../../projects/testing/publisher.ts'
import { nextVersion } from './testing/next-version.ts'

const path = '/v1/developers/projects'
const { developer: ada, worker, listed } = await createPublisher()

/** A listed project, with what its registration leaves here. */
async function registered() {
  const first = await listed()
  await indexState('project', first.project_id, { version: 1, manifest_hash: first.manifest_hash })
  await runSql("UPDATE project_versions SET status = 'active' WHERE project_id = ?", first.project_id)
  return first
}

const read = (projectId: string) => bodyOf(ada.client.get(`/v1/projects/${projectId}`))
const submitVersion = (projectId: string, manifest: ProjectManifest) =>
  ada.client.post(`${path}/${projectId}/versions`, signed(ada.key, manifest))

describe('versions', () => {
  test('a change of the listing is active at once, and the version before is superseded', async () => {
    const first = await registered()
    const next = nextVersion(first, { listing: { name: 'Renamed Twice' } })
    const response = await submitVersion(first.project_id, next)
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe(`/v1/projects/${first.project_id}/versions/2`)
    expect(await response.json()).toEqual({
      version: {
        version: 2,
        manifest_hash: hashesOf(next).manifest_hash,
        consensus_hash: first.consensus_hash,
        tiers_changed: ['listing'],
        status: 'active',
        effective_epoch: null,
        submitted_at: expect.any(Number),
      },
      publish_tx: null,
    })
    expect(await read(first.project_id)).toMatchObject({
      version: 2,
      name: 'Renamed Twice',
      pending_version: null,
    })
    const found = await bodyOf(client().get('/v1/projects?q=renamed%20twice'))
    expect(found.items).toMatchObject([{ project_id: first.project_id }])
    const items = await itemsOf(client().get(`/v1/projects/${first.project_id}/versions`))
    expect(items.map(({ version, status }) => [version, status])).toEqual([
      [2, 'active'],
      [1, 'superseded'],
    ])
  })

  test('the schedule activates due versions that nobody reads', async () => {
    const first = await registered()
    const next = nextVersion(first, { work: { round_secs: 100 } })
    await submitVersion(first.project_id, next)
    await runSql(
      "UPDATE project_versions SET status = 'registered', effective_at = 1 WHERE project_id = ? AND version = 2",
      first.project_id,
    )
    await runSchedule()
    const row = await rowOf(
      'SELECT version, manifest_hash FROM projects WHERE project_id = ?',
      first.project_id,
    )
    expect(row).toEqual({ version: 2, manifest_hash: hashesOf(next).manifest_hash })
  })

  test('a version that changes only the listing replaces a waiting version', async () => {
    const first = await registered()
    const waiting = nextVersion(first, { work: { round_secs: 100 } })
    await submitVersion(first.project_id, waiting)
    // Continues the waiting version by number and hash, and has the consensus in force.
    const third = {
      ...nextVersion({ manifest: waiting, ...hashesOf(waiting) }, { listing: { name: 'Third' } }),
      consensus: first.manifest.consensus,
    }
    expect(await bodyOf(submitVersion(first.project_id, third))).toMatchObject({
      version: { version: 3, status: 'active', tiers_changed: ['listing'] },
    })
    expect(await read(first.project_id)).toMatchObject({ version: 3, pending_version: null })
    await expectRefusal(
      ada.client.post(`${path}/${first.project_id}/versions/2/publish`),
      '409 invalid_state',
      { details: { status: 'superseded' } },
    )
  })

  test('of ten racing versions with the next number, exactly one is accepted, for every tier', async () => {
    for (const change of [{ listing: {} }, { work: {} }]) {
      const first = await registered()
      const racers = Array.from({ length: 10 }, (_, index) =>
        nextVersion(
          first,
          'listing' in change
            ? { listing: { name: `Racer ${index}` } }
            : { work: { round_secs: 100 + index } },
        ),
      )
      const answers = await Promise.all(racers.map((racer) => submitVersion(first.project_id, racer)))
      expect(await statusesOf(answers)).toEqual([201, ...Array(9).fill(409)])
      const winner = racers[answers.findIndex(({ status }) => status === 201)]
      const results = await rowsOf(
        'SELECT version, manifest_hash FROM project_versions WHERE project_id = ? ORDER BY version',
        first.project_id,
      )
      expect(results).toEqual([
        { version: 1, manifest_hash: first.manifest_hash },
        { version: 2, manifest_hash: hashesOf(winner!).manifest_hash },
      ])
      const { name } = await read(first.project_id)
      expect(name).toBe('listing' in change ? winner?.listing.name : first.manifest.listing.name)
    }
  })

  test('409 conflict: another number or predecessor; the refusal names the next ones', async () => {
    const first = await registered()
    for (const change of [{ version: 3 }, { previous: `0x${'01'.repeat(32)}` }])
      await expectRefusal(submitVersion(first.project_id, nextVersion(first, change)), '409 conflict', {
        details: { version: 2, previous: first.manifest_hash },
      })
  })

  test('403 not_owner, 404 not_found, 409 invalid_state, 422 for another slug and another key', async () => {
    const first = await registered()
    const next = nextVersion(first)
    const grace = await createDeveloper()
    const foreign = await grace.client.post(`${path}/${first.project_id}/versions`, signed(ada.key, next))
    await expectRefusal(foreign, '403 not_owner')
    expect((await submitVersion(`0x${'0f'.repeat(32)}`, next)).status).toBe(404)
    await expectRefusal(
      submitVersion(first.project_id, { ...next, slug: 'other-slug' }),
      '422 invalid_manifest',
    )
    await expectRefusal(
      ada.client.post(`${path}/${first.project_id}/versions`, signed(grace.key, next)),
      '422 bad_signature',
    )
    const unregistered = await submitProject(ada, { worker })
    await expectRefusal(
      submitVersion(unregistered.project_id, nextVersion(unregistered)),
      '409 invalid_state',
    )
    await runSql("UPDATE developers SET verification = 'pending' WHERE address = ?", ada.address)
    await expectRefusal(submitVersion(first.project_id, next), '403 not_verified')
    await runSql("UPDATE developers SET enrollment = 'rejected' WHERE address = ?", ada.address)
    await expectRefusal(submitVersion(first.project_id, next), '403 not_enrolled')
    await runSql(
      "UPDATE developers SET enrollment = 'active', verification = 'verified' WHERE address = ?",
      ada.address,
    )
  })

  test('publishing is refused before the body is checked if the version cannot be published', async () => {
    const first = await registered()
    await submitVersion(first.project_id, nextVersion(first, { listing: { name: 'Two' } }))
    const publish = (version: number | string, caller = ada.client, id = first.project_id) =>
      caller.post(`${path}/${id}/versions/${version}/publish`, { typed_data: 'nonsense' })
    await expectRefusal(publish(1), '400 invalid_field')
    await expectRefusal(publish('two'), '400 invalid_field')
    await expectRefusal(publish(7), '404 not_found')
    await expectRefusal(publish(2), '409 invalid_state', { details: { status: 'active' } })
    const stranger = await signIn()
    await expectRefusal(publish(2, stranger.client), '403 not_owner')
    await expectRefusal(publish(2, ada.client, `0x${'0f'.repeat(32)}`), '404 not_found')
  })
})
