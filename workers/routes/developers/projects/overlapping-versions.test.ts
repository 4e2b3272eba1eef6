import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { effectiveEpoch, type ProjectManifest } from '../../../../protocol/manifest/index.ts'
import { ProjectSets } from '../../../committees/project-sets.ts'
import { readSettings } from '../../../env.ts'
import { findRunningEpoch } from '../../../rounds/running-epoch.ts'
import { services } from '../../../services.ts'
import { VersionSubmissions } from '../../../stores/version-submissions.ts'
import { networkNow } from '../../../test/callers.ts'
import { bodyOf, expectRefusal } from '../../../test/client.ts'
import { indexState } from '../../../test/epochs.ts'
import { hashesOf, type ManifestChange, signed } from '../../../test/project.ts'
import { rowOf, runSql } from '../../../test/tables.ts'
import { createPublisher } from '../../projects/testing/publisher.ts'
import { nextVersion } from './testing/next-version.ts'

const path = '/v1/developers/projects'
const { developer: ada, listed } = await createPublisher()
const [hour, day] = [3_600, 86_400]

/** A listed project, and what its developer does with further versions. */
async function listedProject(change: ManifestChange = {}) {
  const first = await listed(change)
  const id = first.project_id
  await indexState('project', id, { version: 1, manifest_hash: first.manifest_hash })
  await runSql("UPDATE project_versions SET status = 'active' WHERE project_id = ?", id)
  const submit = async (manifest: ProjectManifest) =>
    (await bodyOf(ada.client.post(`${path}/${id}/versions`, signed(ada.key, manifest)))).version
  /** As the index does it for the event of the registry. */
  const publish = async (at: number, ...manifests: ProjectManifest[]) => {
    for (const manifest of manifests)
      await indexState('version', `${id}:${manifest.version}`, {
        ...{ ...hashesOf(manifest), published_at: at },
        published_tx: `0x${'0e'.repeat(32)}`,
      })
    await indexState('project', id, { version: manifests.at(-1)?.version })
  }
  const following = (manifest: ProjectManifest, changed: Parameters<typeof nextVersion>[1]) =>
    nextVersion({ manifest, ...hashesOf(manifest) }, changed)
  const rowAt = (version: number) =>
    rowOf(
      'SELECT status, effective_at, effective_epoch FROM project_versions WHERE project_id = ? AND version = ?',
      ...[id, version],
    )
  return { id, first, submit, publish, following, rowAt }
}

describe.each([false, true])(
  'a published version that waits, and a later one is submitted: %s',
  (isFollowed) => {
    const waiting = async () => {
      const project = await listedProject()
      const second = nextVersion(project.first, { work: { round_secs: 100 } })
      await project.submit(second)
      await project.publish(await networkNow(), second)
      if (isFollowed) await project.submit(project.following(second, { work: { round_secs: 200 } }))
      return { ...project, second: hashesOf(second) }
    }

    test('has the set of its first epoch built by its rules', async () => {
      const { id, second, rowAt } = await waiting()
      const at = Number((await rowAt(2))?.effective_at)
      const value = `0x${'05'.repeat(32)}`
      const sources = {
        ...services(env),
        clock: { now: async () => at - 50 },
        beacons: { find: async () => ({ block_number: 1, block_hash: value, value }) },
      } as never
      await new ProjectSets(sources, readSettings(env)).advance(id)
      const { committeeSets, projectVersions } = services(env)
      const set = await committeeSets.find(id, at / hour)
      const snapshot = set && (await committeeSets.readSnapshot(set.setHash))
      expect(snapshot?.consensus_hash).toBe(second.consensus_hash)
      expect((await projectVersions.consensusAt(id, at))?.consensusHash).toBe(second.consensus_hash)
    })

    test('is in force from its epoch on', async () => {
      const { id } = await waiting()
      await runSql('UPDATE project_versions SET effective_at = 1 WHERE project_id = ? AND version = 2', id)
      expect((await bodyOf(ada.client.get(`/v1/projects/${id}`))).version).toBe(2)
    })
  },
)

describe('a version with the rules in force, while another is published', () => {
  const reverting = async () => {
    const project = await listedProject()
    const { first, submit, publish, following } = project
    const second = nextVersion(first, { work: { epoch_secs: 2 * hour } })
    await submit(second)
    await publish(await networkNow(), second)
    const third = {
      ...following(second, { listing: { name: 'Third' } }),
      consensus: first.manifest.consensus,
    }
    return { ...project, second, third }
  }

  test('waits for the chain, and the published one takes effect', async () => {
    const { id, submit, publish, third, rowAt } = await reverting()
    const prepared = await bodyOf(ada.client.post(`${path}/prepare`, { manifest: third }))
    expect(prepared.tier_changes).toEqual(['consensus', 'listing'])
    expect(await submit(third)).toMatchObject({ status: 'submitted', tiers_changed: prepared.tier_changes })
    const at = Number((await rowAt(2))?.effective_at)
    expect(await findRunningEpoch(services(env), id, at)).toMatchObject({ epochSecs: 2 * hour })
    await publish(await networkNow(), third)
    expect(await rowAt(3)).toMatchObject({
      status: 'registered',
      effective_at: at,
      effective_epoch: at / hour,
    })
    expect(await findRunningEpoch(services(env), id, at)).toMatchObject({ epochSecs: hour })
  })

  test('is a conflict if the other one was published after its changes were read', async () => {
    const { id, first, third } = await reverting()
    const submissions = services(env).store(VersionSubmissions)
    const next = {
      ...{
        projectId: id,
        manifest: third,
        current: first.manifest,
        hashes: hashesOf(third),
        canonical: '{}',
      },
      ...{ signature: '0x', token: {} as never, tiersChanged: ['listing'] as const },
    }
    expect(await submissions.submit(next, 1)).toBe('exists')
    await runSql('UPDATE projects SET consensus_hash = ? WHERE project_id = ?', 'another', id)
    await runSql("UPDATE project_versions SET status = 'submitted' WHERE project_id = ? AND version = 2", id)
    expect(await submissions.submit(next, 1)).toBe('exists')
  })
})

describe('a version takes effect at a boundary of the version before it', () => {
  const midnight = async () => (Math.floor((await networkNow()) / day) + 2) * day

  test('also if that was not in force yet at the submission', async () => {
    const { first, submit, publish, following, rowAt } = await listedProject()
    const second = nextVersion(first, { work: { epoch_secs: 2 * hour } })
    const third = following(second, { work: { epoch_secs: 3 * hour } })
    await submit(second)
    await submit(third)
    const start = await midnight()
    await publish(start - 2 * hour, second)
    await services(env).projectVersions.activateDue(start, 100)
    await publish(start + hour, third)
    const { beacon_offset_secs } = services(env).params
    expect(await rowAt(3)).toMatchObject({
      effective_at: start + 6 * hour,
      effective_epoch: effectiveEpoch({
        ...{ old_epoch_secs: 2 * hour, new_epoch_secs: 3 * hour },
        ...{ published_at: start + hour, beacon_offset_secs },
      }),
    })
  })

  test.each(['one after the other', 'at once'])('and not before it, published %s', async (way) => {
    const { first, submit, publish, following, rowAt } = await listedProject({ work: { epoch_secs: day } })
    const second = nextVersion(first, { work: { epoch_secs: hour } })
    const third = following(second, { work: { epoch_secs: 2 * hour } })
    const fourth = following(third, { work: { epoch_secs: 3 * hour } })
    for (const version of [second, third, fourth]) await submit(version)
    const start = await midnight()
    if (way === 'at once') await publish(start + hour, second, third, fourth)
    else for (const version of [second, third, fourth]) await publish(start + hour, version)
    for (const version of [2, 3, 4])
      expect(await rowAt(version)).toMatchObject({ status: 'registered', effective_at: start + day })
  })
})

test('a version that was published before its submission waits for an epoch that begins after both', async () => {
  const { id, first, submit, publish } = await listedProject()
  const second = nextVersion(first, { work: { round_secs: 100 } })
  const now = await networkNow()
  await publish(now - day, second)
  expect(await submit(second)).toMatchObject({
    status: 'registered',
    effective_epoch: effectiveEpoch({
      ...{ old_epoch_secs: hour, new_epoch_secs: hour, published_at: now },
      beacon_offset_secs: services(env).params.beacon_offset_secs,
    }),
  })
  await expectRefusal(ada.client.post(`${path}/${id}/versions/2/publish`), '409 invalid_state')
})
