import { expect, test } from 'vitest'
import { Conflict } from '../../../../sdk/errors.ts'
import type { Draft } from './build.ts'
import { DraftSaves } from './draft-saves.ts'

/** A hub with one draft, which stores a save before it may lose the answer to it. */
function createHub() {
  let revision = 1
  let stored = { draft_id: 'd', data: {}, project_id: null } as Draft
  const hub = { losesAnswers: false }
  const kept = () => ({ draft: stored, revision: `"${revision}"` })
  const saveDraft = async (_: Draft, content: Pick<Draft, 'data' | 'project_id'>, expected: string) => {
    if (expected !== `"${revision}"`)
      throw new Conflict({ operation: 'PUT', status: 409, body: { error: 'conflict' } } as never)
    stored = { ...stored, ...(JSON.parse(JSON.stringify(content)) as typeof content) }
    revision++
    if (hub.losesAnswers) throw new Error('No answer.')
    return kept()
  }
  return Object.assign(hub, { saveDraft, draft: async () => kept() })
}
const content = (slug: string) => ({ data: { slug }, project_id: null }) as Pick<Draft, 'data' | 'project_id'>

/** A draft of which a save is stored, and no answer came. */
async function saveUnanswered() {
  const hub = createHub()
  const saves = new DraftSaves(hub)
  const { draft, revision } = await hub.draft()
  hub.losesAnswers = true
  await expect(saves.save(draft, content('mine'), revision)).rejects.toThrow('No answer')
  hub.losesAnswers = false
  return { hub, saves, draft, revision }
}

test.each(['mine', 'mine, typed on'])(
  'an own save of which no answer came is no change by somebody else: then %s is saved',
  async (next) => {
    const { saves, draft, revision } = await saveUnanswered()
    expect(await saves.save(draft, content(next), revision)).toMatchObject({
      kept: { draft: content(next) },
    })
  },
)

test('a save by somebody else, also after an own one of which no answer came, is not overwritten', async () => {
  const { hub, saves, draft, revision } = await saveUnanswered()
  await hub.saveDraft(draft, content('of another tab'), (await hub.draft()).revision)
  const saved = await saves.save(draft, content('mine, typed on'), revision)
  expect(saved).toMatchObject({ newer: { draft: content('of another tab') } })
  expect((await hub.draft()).draft).toMatchObject(content('of another tab'))
})

test('an own save that was answered is not expected any more: somebody else who saves the same is shown', async () => {
  const { hub, saves, draft, revision } = await saveUnanswered()
  await saves.save(draft, content('mine, typed on'), revision)
  const { revision: known } = await hub.draft()
  await hub.saveDraft(draft, content('mine'), known)
  expect(await saves.save(draft, content('again'), known)).toMatchObject({
    newer: { draft: content('mine') },
  })
})
