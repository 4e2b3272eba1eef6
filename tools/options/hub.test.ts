import { describe, expect, test } from 'vitest'
import { UsageError } from '../../scripts/command/errors.ts'
import { defaultHub, namedHub, readHub } from './hub.ts'

describe('the hub that a tool calls', () => {
  test('comes from --hub, otherwise from HUB_URL, otherwise from the default', () => {
    const env = { HUB_URL: 'http://localhost:9000/' }
    expect(readHub('https://hub.example', env)).toBe('https://hub.example')
    expect(readHub(undefined, env)).toBe('http://localhost:9000')
    expect(readHub(undefined, { HUB_URL: '' })).toBe(defaultHub)
    expect(namedHub(undefined, {})).toBe(null)
  })

  test.each([
    'nonsense',
    'localhost:8787',
    'ftp://hub.example',
    'http://localhost:8787/v1',
    'http://a@hub.example',
    '',
  ])('must be an origin, not "%s"', (text) => {
    expect(() => readHub(text, {})).toThrow(UsageError)
    expect(() => readHub(text, {})).toThrow('--hub must be an http or https URL without a path')
    if (text !== '') expect(() => readHub(undefined, { HUB_URL: text })).toThrow('HUB_URL must be')
  })
})
