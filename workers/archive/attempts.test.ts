import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { archiveStep, postEpoch, stoppingBoundary } from '../test/archiving.ts'
import { createMembers } from '../test/attested-set.ts'
import { networkNow } from '../test/callers.ts'
import { client, expectRefusal } from '../test/client.ts'
import { createValidators } from '../test/evidence.ts'
import { publishSimulated, right, simulateRound } from '../test/final-rounds.ts'
import { rowsOf } from '../test/tables.ts'
import { archivePath } from './archive-files.ts'

const hour = 3_600

test('only failures in a row give up an archive, and one whose file is lost is 503', async () => {
  const epoch = Math.floor((await networkNow()) / hour) - 24 * 60
  const members = await createMembers(1)
  const { projectId } = members[0]!
  const validators = await createValidators(1)
  await publishSimulated(simulateRound({ members, deeds: [right], validators, issuedAt: epoch * hour }))
  await postEpoch(projectId, epoch)
  const failed = new Set<string>()
  const { boundary } = stoppingBoundary('before', (call, key) => {
    const isFirst = key === archivePath(projectId, epoch) && !failed.has(call)
    if (isFirst) failed.add(call)
    return isFirst
  })
  const step = () => archiveStep({ limits: { attempts: 2 } }, boundary).catch(() => 'failed')
  while ((await step()) !== false);
  expect(failed.size).toBeGreaterThan(1)
  expect(await rowsOf('SELECT rounds FROM archives')).toEqual([{ rounds: 1 }])
  expect(await rowsOf('SELECT * FROM rounds')).toEqual([])

  await env.ROUNDS.delete(archivePath(projectId, epoch))
  await expectRefusal(client().get(`/v1/projects/${projectId}/archives/${epoch}`), '503 unavailable')
})
