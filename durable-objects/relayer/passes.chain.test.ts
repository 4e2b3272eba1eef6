import { expect, test, vi } from 'vitest'
import { relayRequest } from '../testing/relay-request.ts'
import { chain, useRelayer, withRelayer } from '../testing/relayer-object.ts'

useRelayer()

/** As of an indexer that has read the chain up to a block. */
const newestOf = (number: number) => ({
  blocks: [{ number, hash: `block ${number}`, timestamp: 1 }],
  nextPollMs: 0,
  isFinalizing: true,
})
const newest = async () => newestOf(chain.head)

const action = (serializationKey = 'one at a time') => relayRequest({ serializationKey })

test('an action is accepted as soon as a block has the one before it, and of two such actions one', async () => {
  const [one, two, three] = [action(), action(), action()]
  await withRelayer({ newest }, async (object) => {
    await object.relay(one)
    expect(await object.relay(two)).toEqual({ status: 'busy', id: one.id })
    chain.mine()
    const answers = await Promise.all([object.relay(two), object.relay(three)])
    expect(answers).toMatchObject([{ status: 'accepted' }, { status: 'busy', id: two.id }])
    expect(await object.find(one.id)).toMatchObject({ confirmations: 1 })
  })
})

test('callers that come at once wait for the same pass', async () => {
  const [one, other] = [action('a'), action('b')]
  await withRelayer({ newest }, async (object) => {
    await object.relay(one)
    await object.relay(other)
    chain.mine()
    const answers = await Promise.all([object.relay(action('a')), object.relay(action('b'))])
    expect(answers).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }])
  })
})

test('an action is accepted also if a pass was under way when the block came', async () => {
  const [one, two] = [action(), action()]
  await withRelayer({ newest }, async (object) => {
    await object.relay(one)
    const next = Promise.withResolvers<unknown>()
    chain.onCall = (method) => {
      if (method !== 'eth_getTransactionCount') return
      chain.onCall = null
      // After the answer to this call.
      queueMicrotask(() => {
        chain.mine()
        next.resolve(object.relay(two))
      })
    }
    await object.alarm()
    expect(await next.promise).toMatchObject({ status: 'accepted' })
  })
})

test('while no block comes, actions that have to wait do not ask the chain again, also after a pass that failed', async () => {
  const [one, two] = [action(), action()]
  await withRelayer({ newest }, async (object) => {
    await object.relay(one)
    chain.down = true
    expect(await object.relay(two)).toEqual({ status: 'busy', id: one.id })
    chain.down = false
    const asked = vi.mocked(fetch).mock.calls.length
    expect(await object.relay(two)).toEqual({ status: 'busy', id: one.id })
    expect(fetch).toHaveBeenCalledTimes(asked)
  })
})

test('if the node lacks the block that the index has, an alarm looks again', async () => {
  const [one, two] = [action(), action()]
  const ahead = newestOf(chain.head + 1)
  await withRelayer({ newest: async () => ahead }, async (object) => {
    await object.relay(one)
    expect(await object.relay(two)).toEqual({ status: 'busy', id: one.id })
    chain.mine()
    await object.alarm()
    expect(await object.relay(two)).toMatchObject({ status: 'accepted' })
  })
})
