import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { readSettings } from '../env.ts'
import { createMembers } from '../test/attested-set.ts'
import { networkNow } from '../test/callers.ts'
import { createValidators } from '../test/evidence.ts'
import { simulateRound } from '../test/final-rounds.ts'
import { scalarOf } from '../test/tables.ts'
import { endRounds } from './end-rounds.ts'
import { endedRound } from './round-end.ts'

const events = [{ name: 'said', data: '字'.repeat(4_000) }]

test('rounds that end together fit the messages of the queue, and are stored, whatever the script of their events', async () => {
  const [member] = await createMembers(1)
  const { projectId, consensusHash } = member!
  const issuedAt = (await networkNow()) - 60
  const validators = await createValidators(4)
  const ended = Array.from({ length: 5 }, (_, seq) => {
    const { file } = simulateRound({
      ...{ members: [], deeds: [], validators, issuedAt, task: { seq } },
      fallback: { projectId, consensusHash },
    })
    const published = { ...file.published, round: { ...file.published.round, events } }
    return endedRound({ ...file, published, finality_votes: [] })
  })
  await endRounds(env, readSettings(env), projectId, ended)
  await expect.poll(() => scalarOf('SELECT count(*) FROM rounds')).toBe(5)
})
