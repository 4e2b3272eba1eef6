import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { DirectRequest } from '../round/direct.ts'
import { DirectOrderObject } from './object.ts'

test('runs of one address, however many wait, delay one of another address by one run', async () => {
  await runInDurableObject(env.DIRECT_ORDER.getByName('turns'), async (_, state) => {
    const begun: string[] = []
    const object = new DirectOrderObject(state, env, {
      run: async ({ roundId }) => {
        begun.push(roundId)
        if (roundId === 'a2') throw new Error('no run')
        return { roundId, result: null, votes: 0, quorum: 0 }
      },
    })
    const execute = (roundId: string) =>
      object.execute({ roundId } as DirectRequest, roundId.slice(0, 1)).catch(String)
    await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(execute))
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
    await execute('c2')
    expect(begun.at(-1)).toBe('c2')
  })
})

test('however many calls of a few addresses wait, one of another address is run, and not refused', async () => {
  await runInDurableObject(env.DIRECT_ORDER.getByName('full'), async (_, state) => {
    const begun: string[] = []
    const object = new DirectOrderObject(state, env, {
      run: async ({ roundId }) => {
        begun.push(roundId)
        return { roundId, result: null, votes: 0, quorum: 0 }
      },
    })
    const execute = (roundId: string) =>
      object.execute({ roundId } as DirectRequest, roundId.slice(0, 1)).then(({ refusal }) => refusal)
    const many = Array.from({ length: 100 }, (_, at) => execute(`${'abc'[at % 3]}${at}`))
    expect(await Promise.all([execute('d1'), execute('d2')])).toEqual([undefined, 'busy'])
    expect(begun.slice(0, 5)).toContain('d1')
    expect((await Promise.all(many)).filter((refusal) => refusal === 'busy')).toHaveLength(36)
  })
})
