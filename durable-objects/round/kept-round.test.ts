import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { KeptRound } from './kept-round.ts'
import { begun, processId } from './testing/rounds.ts'

test('votes that wait together are stored together; if that fails, each is refused, and succeeds when sent again', async () => {
  const stub = env.ROUND.getByName('a round whose storage fails')
  await runInDurableObject(stub, async (_, { storage }) => {
    let [fails, written] = [true, 0]
    const put = (key: string, value: unknown) => {
      if (fails) throw new Error('the disk is away')
      written += 1
      storage.kv.put(key, value)
    }
    const kv = { get: (key: string) => storage.kv.get(key), put }
    const kept = new KeptRound({ kv } as unknown as DurableObjectStorage, processId)
    kept.become(begun())
    const given = () => Promise.allSettled([kept.voteStored(), kept.voteStored(), kept.voteStored()])
    expect((await given()).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(() => kept.storeVotes()).toThrow('the disk is away')
    expect([kept.isVoteWaiting, written]).toEqual([true, 0])
    fails = false
    expect((await given()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    expect([kept.isVoteWaiting, written]).toEqual([false, 1])
    expect(storage.kv.get('round')).toEqual(kept.round)
    await storage.deleteAll()
  })
})
