import { describe, expect, test } from 'vitest'
import { readArguments } from './arguments.ts'
import { UsageError } from './errors.ts'

const options = {
  port: { type: 'string' },
  'key-env': { type: 'string' },
  fresh: { type: 'boolean' },
  'no-sample': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const
const read = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  readArguments({ args, options }, 'Usage: …', env).values

describe('readArguments', () => {
  test('returns the typed options, whatever settings npm has', () => {
    const env = { npm_command: 'start', npm_config_registry: 'https://registry.example', npm_config_help: '' }
    expect(read(['--fresh', '--port', '1'], env)).toEqual({ fresh: true, port: '1' })
  })

  test('refuses unknown options, and shows the help', () => {
    expect(() => read(['--bogus'])).toThrow(UsageError)
    expect(() => read(['--bogus'])).toThrow(/Unknown option '--bogus'.*Usage: …$/s)
  })

  // As npm 11 has it after `npm start --fresh --no-sample` and the like.
  test.each([
    [{ npm_command: 'start', npm_config_fresh: 'true' }, 'npm start -- --fresh'],
    [{ npm_command: 'start', npm_config_sample: '' }, 'npm start -- --no-sample'],
    [
      { npm_command: 'start', npm_config_fresh: 'true', npm_config_port: 'true' },
      'npm start -- --port … --fresh',
    ],
    [
      { npm_command: 'run', npm_lifecycle_event: 'operator', npm_config_key_env: 'true' },
      'npm run -s operator -- --key-env …',
    ],
  ])('says how to write options that npm consumed: %j', (env, command) => {
    expect(() => read([], env)).toThrow(UsageError)
    expect(() => read([], env)).toThrow(`Options stand after a lone --, as in: ${command}`)
  })

  test('accepts an option in its correct place, and ignores an npm setting of the same name', () => {
    expect(read(['--port', '1'], { npm_command: 'start', npm_config_port: 'true' })).toEqual({ port: '1' })
    expect(read([], { npm_config_fresh: 'true' })).toEqual({})
    expect(read([], { npm_command: 'start', npm_config_sample: 'true' })).toEqual({})
  })
})
