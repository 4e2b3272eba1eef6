import { describe, expect, test } from 'vitest'
import { averageRatingX100 } from '../../../protocol/manifest/index.ts'
import { signIn } from '../../test/callers.ts'
import { atOnce, bodyOf, client, expectRefusal, pagesOf, statusesOf } from '../../test/client.ts'
import {
  createProject,
  createValidators,
  indexState,
  submitReceipt,
  type TestProject,
} from '../../test/epochs.ts'
import { scalarOf } from '../../test/tables.ts'

type Session = Awaited<ReturnType<typeof signIn>>

const miners = await atOnce(6, () => signIn())
const validators = await createValidators(3)

/** A listed project on which these wallets have credited rounds. */
async function listed(credited: readonly Session[] = miners): Promise<string> {
  const project = await createProject()
  await credit(project, credited)
  return project.projectId
}

/** Has validators attest an epoch in which each of these wallets has a unit. */
const credit = (project: TestProject, credited: readonly Session[], epoch = project.lastEpoch) =>
  submitReceipt(project, {
    epoch,
    units: credited.map(({ address }) => ({ miner: address, units: 1 })).sort(byMiner),
    by: validators,
  })

const byMiner = (a: { miner: string }, b: { miner: string }) => (a.miner < b.miner ? -1 : 1)

const put = ({ client: caller }: Session, projectId: string, rating: number, comment = 'Good.') =>
  caller.put(`/v1/projects/${projectId}/reviews`, { rating, comment })
const remove = ({ client: caller }: Session, projectId: string) =>
  caller.delete(`/v1/projects/${projectId}/reviews`)

interface Page {
  items: { review_id: string; author: string; rating: number; helpful: number }[]
  next_cursor: string | null
  average_rating_x100: number | null
  count: number
}
const list = async (projectId: string, query = ''): Promise<Page> =>
  bodyOf(client().get(`/v1/projects/${projectId}/reviews?${query}`))

describe('PUT /v1/projects/{project_id}/reviews', () => {
  test('creates a review, and replaces it under the same id, age and votes', async () => {
    const [author, voter] = miners as [Session, Session]
    const projectId = await listed()
    await author.client.put('/v1/me/preferences', { display_name: 'Miner One' })
    const first = await bodyOf(put(author, projectId, 5))
    expect(first).toEqual({
      review_id: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
      project_id: projectId,
      author: author.address,
      author_name: 'Miner One',
      rating: 5,
      comment: 'Good.',
      helpful: 0,
      verified_miner: true,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    })
    await voter.client.post(`/v1/projects/${projectId}/reviews/${first.review_id}/helpful`)
    const second = await bodyOf(put(author, projectId, 2, 'Not any more.'))
    expect(second).toMatchObject({
      review_id: first.review_id,
      rating: 2,
      comment: 'Not any more.',
      helpful: 1,
    })
    expect(await list(projectId)).toMatchObject({ items: [second], count: 1, average_rating_x100: 200 })
    expect(await bodyOf(client().get(`/v1/projects/${projectId}`))).toMatchObject({
      average_rating_x100: 200,
      review_count: 1,
    })
  })

  test('403 forbidden without a credited round of this project; nothing is counted', async () => {
    const [author, other] = miners as [Session, Session]
    const projectId = await listed([other])
    await listed([author])
    await expectRefusal(put(author, projectId, 5), '403 forbidden')
    expect(await list(projectId)).toEqual({
      items: [],
      next_cursor: null,
      average_rating_x100: null,
      count: 0,
    })
  })

  test('a vetoed epoch credits nobody until it is posted again; existing reviews stay', async () => {
    const [author, other] = miners as [Session, Session]
    const project = await createProject()
    const { vault_address, round, merkle_root, receipt_hash } = await credit(project, [author, other])
    const say = (state: object) => indexState('epoch', `${vault_address}:${round}`, state)
    const posted = { merkle_root, receipt_hash, vetoed: false, release_at: 5, posted_at: 4 }
    expect((await put(author, project.projectId, 5)).status).toBe(200)
    await say({ ...posted, vetoed: true, reopened: false })
    for (const wallet of [author, other])
      await expectRefusal(put(wallet, project.projectId, 1), '403 forbidden')
    expect(await list(project.projectId)).toMatchObject({ items: [{ rating: 5 }], count: 1 })
    await say({ ...posted, reopened: true })
    expect((await put(other, project.projectId, 3)).status).toBe(200)
    expect(await list(project.projectId)).toMatchObject({ count: 2, average_rating_x100: 400 })
  })

  test('one epoch without a veto is enough', async () => {
    const [author] = miners as [Session]
    const project = await createProject()
    const { vault_address, round } = await credit(project, [author])
    await credit(project, [author], project.lastEpoch - 1)
    await indexState('epoch', `${vault_address}:${round}`, { vetoed: true, reopened: false })
    expect((await put(author, project.projectId, 4)).status).toBe(200)
  })

  test('404 not_found for an unknown project, 400 invalid_field', async () => {
    const [author] = miners as [Session]
    const projectId = await listed()
    expect((await put(author, `0x${'0f'.repeat(32)}`, 5)).status).toBe(404)
    const path = `/v1/projects/${projectId}/reviews`
    for (const json of [
      {},
      { rating: 6, comment: '' },
      { rating: 0, comment: '' },
      { rating: 4 },
      { rating: 4, comment: 'x'.repeat(2001) },
      { rating: 4, comment: '', more: 1 },
    ])
      await expectRefusal(author.client.put(path, json), '400 invalid_field')
    await expectRefusal(author.client.put(path, { rating: 4.5, comment: '' }), '400 bad_request')
    expect((await put(author, projectId, 4, '𝒙'.repeat(2000))).status).toBe(200)
    expect((await put(author, projectId, 4, '')).status).toBe(200)
  })
})

describe('averages', () => {
  test('are exact after any number of concurrent writes, replacements and deletions', async () => {
    const projectId = await listed()
    let random = 7
    const next = (below: number) => {
      random = (random * 48_271) % 2_147_483_647
      return random % below
    }
    for (let round = 0; round < 6; round++)
      await atOnce(12, () => {
        const miner = miners[next(miners.length)] as Session
        return next(4) === 0 ? remove(miner, projectId) : put(miner, projectId, 1 + next(5))
      })
    const { items, count, average_rating_x100 } = await list(projectId)
    const sum = items.reduce((total, { rating }) => total + rating, 0)
    expect(count).toBe(items.length)
    expect(average_rating_x100).toBe(averageRatingX100(sum, count))
    expect(new Set(items.map(({ author }) => author)).size).toBe(items.length)
  })

  test('ten racing reviews of one wallet leave one review, counted once', async () => {
    const [author] = miners as [Session]
    const projectId = await listed()
    expect(await statusesOf(atOnce(10, (index) => put(author, projectId, 1 + (index % 5))))).toEqual(
      Array(10).fill(200),
    )
    const { items, count, average_rating_x100 } = await list(projectId)
    expect([items.length, count]).toEqual([1, 1])
    expect(average_rating_x100).toBe(100 * (items[0]?.rating ?? 0))
  })

  test.each([
    [[5, 4], 450],
    [[5, 5, 4], 467],
    [[1, 1, 2], 133],
    [[3, 4, 4, 4, 4, 4], 383],
  ])('of %j is %i', async (ratings, expected) => {
    const projectId = await listed()
    for (const [index, rating] of ratings.entries()) await put(miners[index] as Session, projectId, rating)
    expect((await list(projectId)).average_rating_x100).toBe(expected)
  })
})

describe('DELETE /v1/projects/{project_id}/reviews', () => {
  test('204, also if no review exists; its votes are deleted too', async () => {
    const [author, voter] = miners as [Session, Session]
    const projectId = await listed()
    const { review_id } = await bodyOf(put(author, projectId, 1))
    await voter.client.post(`/v1/projects/${projectId}/reviews/${review_id}/helpful`)
    expect((await remove(author, projectId)).status).toBe(204)
    expect((await remove(author, projectId)).status).toBe(204)
    expect(await list(projectId)).toMatchObject({ items: [], count: 0, average_rating_x100: null })
    expect(await scalarOf('SELECT count(*) AS n FROM review_votes WHERE review_id = ?', review_id)).toBe(0)
  })
})

describe('POST …/helpful', () => {
  test('counts each wallet once, even with concurrent calls', async () => {
    const [author, ...voters] = miners as [Session, ...Session[]]
    const projectId = await listed()
    const { review_id } = await bodyOf(put(author, projectId, 4))
    const path = `/v1/projects/${projectId}/reviews/${review_id}/helpful`
    const answers = await Promise.all(
      [...voters, ...voters, ...voters].map(({ client: caller }) => caller.post(path)),
    )
    expect(await statusesOf(answers)).toEqual(Array(15).fill(200))
    expect(await bodyOf((voters[0] as Session).client.post(path))).toEqual({ helpful: voters.length })
    expect((await list(projectId)).items).toMatchObject([{ helpful: voters.length }])
  })

  test('403 forbidden for the own review, 404 not_found for another project, 400 for a malformed id', async () => {
    const [author, voter] = miners as [Session, Session]
    const [projectId, other] = [await listed(), await listed()]
    const { review_id } = await bodyOf(put(author, projectId, 4))
    const vote = ({ client: caller }: Session, project: string, review: string) =>
      caller.post(`/v1/projects/${project}/reviews/${review}/helpful`)
    await expectRefusal(vote(author, projectId, review_id), '403 forbidden')
    expect((await vote(voter, other, review_id)).status).toBe(404)
    expect((await vote(voter, projectId, 'A'.repeat(16))).status).toBe(404)
    expect((await vote(voter, projectId, 'short')).status).toBe(400)
    expect((await list(projectId)).items).toMatchObject([{ helpful: 0 }])
  })
})

describe('GET /v1/projects/{project_id}/reviews', () => {
  test('pages through every order without gap or repetition', async () => {
    const projectId = await listed()
    for (const [index, miner] of miners.entries()) await put(miner, projectId, 1 + (index % 3))
    const [voter] = miners as [Session]
    const others = (await list(projectId)).items.filter(({ author }) => author !== voter.address)
    await voter.client.post(`/v1/projects/${projectId}/reviews/${others[0]?.review_id}/helpful`)
    const ratings: Record<string, number[]> = {}
    for (const sort of ['newest', 'helpful', 'rating_high', 'rating_low']) {
      const seen = (await pagesOf(client(), `/v1/projects/${projectId}/reviews?sort=${sort}`, 2)).flat()
      expect(new Set(seen.map(({ review_id }) => review_id)).size).toBe(miners.length)
      ratings[sort] = seen.map(({ rating }) => rating)
      if (sort === 'helpful') expect(seen[0]?.helpful).toBe(1)
    }
    expect(ratings.rating_high).toEqual([3, 3, 2, 2, 1, 1])
    expect(ratings.rating_low).toEqual([1, 1, 2, 2, 3, 3])
    await expectRefusal(client().get(`/v1/projects/${projectId}/reviews?sort=best`), '400 invalid_field')
  })
})
