import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { clearState, lockState, readCoordinatorSeed, readHubSecret, setAside } from './state.ts'

const root = mkdtempSync(path.join(tmpdir(), 'localnet-state-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let folder: string
let count = 0
beforeEach(() => {
  count += 1
  folder = path.join(root, String(count))
})
const file = (name: string) => path.join(folder, name)

describe('lockState', () => {
  test('locks the folder for one process at a time, and again after it is released', () => {
    const release = lockState(folder)
    expect(readFileSync(file('localnet.pid'), 'utf8')).toBe(String(process.pid))
    expect(() => lockState(folder)).toThrow(/is running already in/)
    release()
    expect(existsSync(file('localnet.pid'))).toBe(false)
    lockState(folder)()
  })

  test.each(['', String(process.pid), '1', String(process.ppid)])(
    'a pid of %j left behind by a crash blocks no start, whichever process has that pid',
    (pid) => {
      mkdirSync(folder)
      writeFileSync(file('localnet.lock'), '')
      writeFileSync(file('localnet.pid'), pid)
      lockState(folder)()
    },
  )

  test.each(['0', '-1', '1e3', 'nonsense'])('leaves a pid file with %j unchanged', (text) => {
    mkdirSync(folder)
    writeFileSync(file('localnet.pid'), text)
    expect(() => lockState(folder)).toThrow('holds something else than the id of a process')
    expect(readFileSync(file('localnet.pid'), 'utf8')).toBe(text)
  })

  test.each([['0'], ['-1'], [''], ['nonsense'], [String(process.pid)]])(
    'never suggests to kill %j',
    (pid) => {
      const release = lockState(folder)
      writeFileSync(file('localnet.pid'), pid)
      expect(() => lockState(folder)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('kill') }),
      )
      release()
    },
  )

  test('says why a folder cannot be used', () => {
    expect(() => lockState('')).toThrow('LOCALNET_DIR is empty. Name a folder in it, or unset it.')
    writeFileSync(folder, '')
    expect(() => lockState(folder)).toThrow(/^The folder .* cannot be used: EEXIST/)
    expect(() => lockState(path.join(folder, 'below'))).toThrow(/cannot be used: ENOTDIR/)
    rmSync(folder)
    mkdirSync(file('localnet.lock'), { recursive: true })
    expect(() => lockState(folder)).toThrow(/localnet.lock/)
  })
})

describe('readHubSecret', () => {
  test('makes the secret once, and again if the file contains none', () => {
    mkdirSync(folder)
    const secret = readHubSecret(folder)
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(readHubSecret(folder)).toBe(secret)
    writeFileSync(file('hub-secret'), secret.slice(1))
    expect(readHubSecret(folder)).not.toContain(secret.slice(1))
  })
})

describe('readCoordinatorSeed', () => {
  test('makes the seed once, and it differs from the secret of the hub', () => {
    mkdirSync(folder, { recursive: true })
    const seed = readCoordinatorSeed(folder)
    expect(seed).toMatch(/^0x[0-9a-f]{64}$/)
    expect(readCoordinatorSeed(folder)).toBe(seed)
    expect(seed).not.toContain(readHubSecret(folder))
  })
})

describe('data that is moved aside', () => {
  test('is stored beside its place and beside earlier data; a fresh start deletes all of it', () => {
    mkdirSync(file('storage'), { recursive: true })
    writeFileSync(file('storage/one'), '')
    expect(setAside(file('storage'))).toBe(file('storage.old'))
    mkdirSync(file('storage'))
    writeFileSync(file('storage/two'), '')
    expect(setAside(file('storage'))).toBe(file('storage.old.2'))
    expect([existsSync(file('storage.old/one')), existsSync(file('storage.old.2/two'))]).toEqual([true, true])
    expect(setAside(file('storage'))).toBe(null)
    writeFileSync(file('chain.json'), '{}')
    clearState(folder)
    expect(readdirSync(folder)).toEqual([])
  })
})
