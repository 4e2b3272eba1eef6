import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { CallableValidator } from '../stores/validators.ts'
import { ValidatorCalls, waitingMax } from './ask-each.ts'

const validatorsOf = (count: number): CallableValidator[] =>
  Array.from({ length: count }, (_, index) => ({ publicKey: `validator ${index}` }) as CallableValidator)

const never = new AbortController().signal

let calls = new ValidatorCalls()
beforeEach(() => {
  calls = new ValidatorCalls()
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Asks as one that hangs: it gives no answer in its time. */
async function hang(limitMs: number): Promise<false> {
  vi.setSystemTime(Date.now() + limitMs)
  return false
}

describe('validators that are called', () => {
  test('are never more than five at a time', async () => {
    let [waiting, most] = [0, 0]
    await calls.ask(
      validatorsOf(20),
      async () => {
        most = Math.max(most, ++waiting)
        await Promise.resolve()
        waiting -= 1
        return true
      },
      never,
    )
    expect(most).toBe(waitingMax)
  })

  test('get a short turn each, and silent ones get longer turns after all others had theirs', async () => {
    const validators = validatorsOf(20)
    const hung = new Set(validators.slice(0, 6))
    const limits: number[] = []
    await calls.ask(
      validators,
      async (validator, limitMs) => {
        limits.push(limitMs)
        return hung.has(validator) ? hang(limitMs) : true
      },
      never,
    )
    const later = [600, 2_500, 10_000].flatMap((ms) => Array(6).fill(ms))
    expect(limits).toEqual([...Array(20).fill(250), ...later])
  })

  test('get the full time at once if there is room for all of them', async () => {
    const limits: number[] = []
    const ask = async (_: CallableValidator, limitMs: number) => limits.push(limitMs) > 0
    await calls.ask(validatorsOf(waitingMax), ask, never)
    expect(limits).toEqual(Array(waitingMax).fill(10_000))
  })

  test('are not asked again if they refuse at once', async () => {
    let asked = 0
    const refuse = async () => {
      asked += 1
      return false
    }
    await calls.ask(validatorsOf(20), refuse, never)
    expect(asked).toBe(20)
  })

  test('get a turn of twice their last response time', async () => {
    const validators = validatorsOf(20)
    const slow = async () => {
      vi.setSystemTime(Date.now() + 60)
      return true
    }
    await calls.ask(validators, slow, never)
    const limits: number[] = []
    await calls.ask(validators, async (_, limitMs) => limits.push(limitMs) > 0, never)
    expect(Math.max(...limits)).toBeGreaterThan(250)
  })

  test('come last for a minute after three calls without an answer', async () => {
    const validators = validatorsOf(20)
    const failing = validators[3]!
    const order = async () => {
      const asked: CallableValidator[] = []
      await calls.ask(
        validators,
        async (validator) => {
          asked.push(validator)
          return validator !== failing
        },
        never,
      )
      return asked.indexOf(failing)
    }
    for (let i = 0; i < 3; i++) await order()
    expect([await order(), await order()]).toEqual([19, 19])
    vi.setSystemTime(Date.now() + 60_001)
    const places = new Set<number>()
    for (let i = 0; i < 30; i++) {
      places.add(await order())
      vi.setSystemTime(Date.now() + 60_001)
    }
    expect(places.size).toBeGreaterThan(1)
  })

  test('are no longer asked once enough have answered', async () => {
    const over = new AbortController()
    let asked = 0
    await calls.ask(
      validatorsOf(20),
      async () => {
        if (++asked === 7) over.abort()
        return asked > 7 ? new Promise<boolean>(() => {}) : true
      },
      over.signal,
    )
    expect(asked).toBeLessThan(7 + waitingMax)
  })

  test('are each told once, however long they take', async () => {
    const validators = validatorsOf(20)
    let told = 0
    await calls.tell(validators, (_, limitMs) => {
      told += 1
      return hang(limitMs)
    })
    expect(told).toBe(20)
  })
})
