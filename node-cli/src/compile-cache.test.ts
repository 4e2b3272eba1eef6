import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../testing/node/folders.ts'
import { nodectl } from '../../testing/node/nodectl.ts'
import { isPrivate } from './compile-cache.ts'
import { userCache } from './user-cache.ts'

const done = { code: 0, stdout: '1.0.0\n', stderr: '' }

describe.skipIf(process.getuid === undefined || process.platform === 'darwin')('compiled code', () => {
  /** Starts the tool with a cache folder of its own. @returns Where compiled code would be kept. */
  async function start(cache: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    const own = { NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: cache }
    expect(await nodectl(['--version'], { env: { ...own, ...env } })).toEqual(done)
    return path.join(cache, 'nodectl', 'compiled')
  }

  test('is stored in the cache of the user, which others cannot read', async () => {
    const kept = await start(temporaryFolder())
    expect(statSync(kept).mode & 0o777).toBe(0o700)
    expect(readdirSync(kept)).toHaveLength(1)
  })

  test('is not stored where others may write', async () => {
    const cache = temporaryFolder()
    chmodSync(cache, 0o777)
    expect(readdirSync(await start(cache))).toEqual([])
  })

  test('is not stored in a folder that others may read', async () => {
    const cache = temporaryFolder()
    mkdirSync(path.join(cache, 'nodectl', 'compiled'), { recursive: true, mode: 0o755 })
    expect(readdirSync(await start(cache))).toEqual([])
  })

  test('is not stored if Node is told to store none, or to store it elsewhere', async () => {
    expect(existsSync(await start(temporaryFolder(), { NODE_DISABLE_COMPILE_CACHE: '1' }))).toBe(false)
    const elsewhere = { NODE_COMPILE_CACHE: path.join(temporaryFolder(), 'elsewhere') }
    expect(existsSync(await start(temporaryFolder(), elsewhere))).toBe(false)
  })

  test('is not required if the cache cannot be written', async () => {
    const file = path.join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(existsSync(await start(file))).toBe(false)
  })
})

test.runIf(process.platform === 'linux')('the cache of the user is never in the working directory', () => {
  const usual = path.join(homedir(), '.cache')
  for (const named of [undefined, '', 'cache', './cache'])
    expect(userCache({ XDG_CACHE_HOME: named })).toBe(usual)
  expect(userCache({ XDG_CACHE_HOME: '/var/cache/me' })).toBe('/var/cache/me')
})

test.skipIf(process.getuid === undefined)('a folder of another user is not private', () => {
  const folder = temporaryFolder()
  const uid = process.getuid!()
  expect(isPrivate(folder, uid)).toBe(true)
  expect(isPrivate(folder, uid + 1)).toBe(false)
})
