import { describe, expect, test } from 'vitest'
import { hasAnvil } from '../testing/anvil.ts'
import { relayOfOwners } from '../testing/relaying-owners.ts'

describe.skipIf(!hasAnvil)('owners who relay at once', () => {
  test('every accepted action is mined once, reverting actions use no nonce, repetitions get the same answer', async () => {
    const result = await relayOfOwners({ owners: 20, refused: 2, repeated: 2, times: 10 })
    expect(result).toMatchObject({
      answers: { 202: 18, 409: 2 },
      differing: 0,
      nonces: 18,
      done: 18,
      twice: 0,
      waiting: 0,
    })
  }, 120_000)
})
