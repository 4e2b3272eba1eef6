import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { type Env, readSettings } from './env.ts'

const key = (byte: string) => `0x${byte.repeat(32)}`
const read = (vars: Partial<Env>) => () => readSettings({ ...env, ...vars })

describe('the keys of the settings', () => {
  test('are read as a list, in order', () => {
    const settings = read({
      RELAYER_PRIVATE_KEY: key('0a'),
      RELAYER_PREVIOUS_KEYS: `${key('0b')}, ${key('0c')}`,
    })()
    expect(settings.RELAYER_PREVIOUS_KEYS).toEqual([key('0b'), key('0c')])
    expect(settings.ARBITER_PRIVATE_KEY).toBeUndefined()
  })

  test.each<[Partial<Env>, RegExp]>([
    [{ RELAYER_PREVIOUS_KEYS: `${key('0b')},${key('0a')}` }, /has the key of RELAYER_PRIVATE_KEY/],
    [{ RELAYER_PREVIOUS_KEYS: `${key('0b')},${key('0b')}` }, /RELAYER_PREVIOUS_KEYS/],
    [{ RELAYER_PREVIOUS_KEYS: 'a key' }, /RELAYER_PREVIOUS_KEYS\[0\]/],
    [{ ARBITER_PRIVATE_KEY: key('0a') }, /the arbiter needs one of its own[\s\S]*ARBITER_PRIVATE_KEY/],
    [{ ARBITER_PRIVATE_KEY: key('0b'), RELAYER_PREVIOUS_KEYS: key('0b') }, /ARBITER_PRIVATE_KEY/],
    [{ COORDINATOR_SEED: '0x0a' }, /COORDINATOR_SEED/],
  ])('are refused by name, and never shown: %#', (vars, message) => {
    const wrong = read({ RELAYER_PRIVATE_KEY: key('0a'), ...vars })
    expect(wrong).toThrow(message)
    expect(wrong).not.toThrow(/0x0[abc]/)
  })
})
