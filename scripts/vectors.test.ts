import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runVectors } from './run-vectors.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'vectors-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** In a process of its own; other tests call what it calls. */
const command = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync(process.execPath, [path.join(import.meta.dirname, 'vectors.ts'), ...args], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })

const run = (...args: string[]) => runVectors(args)

const write = (name: string, content: unknown) => {
  const file = path.join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const fold = { developer: `0x${'00'.repeat(20)}`, slug: 'fold' }
const refused = { name: 'refused', input: { slug: 'F' }, output: { error: 'invalid_slug' } }

const moduleCase = { name: 'module', wasm_hex: '00', call: { func_id: 0, input_utf8: '' } }

describe('npm run vectors', () => {
  test('resolves relative names from the folder of the caller', () => {
    write('project-id.json', { common: { developer: fold.developer }, cases: [refused] })
    const { status, stdout } = command(['project-id.json'], { INIT_CWD: folder })
    expect([status, stdout]).toEqual([0, 'project-id: 1/1\n'])
  })

  test('runs a file named after its topic, and adds common members to every input', async () => {
    const file = write('project-id.json', { common: { developer: fold.developer }, cases: [refused] })
    expect(await run(file)).toMatchObject({ status: 0, stdout: 'project-id: 1/1\n' })
  })

  test('runs several topics under the profile of the file', async () => {
    const file = write('mixed.json', {
      profile: { service: 'Acme' },
      topics: {
        'project-id': [{ ...refused, input: { ...fold, slug: 'F' } }],
        profile: [
          {
            name: 'given',
            input: { given: {}, public_key: `0x${'00'.repeat(32)}`, ...fold },
            output: { profile: { service: 'Hub' } },
          },
        ],
      },
    })
    expect(await run(file)).toMatchObject({ status: 0, stdout: 'project-id: 1/1\nprofile: 1/1\n' })
  })

  test('exits with 1 and prints the first difference if an answer differs', async () => {
    const file = write('project-id.json', {
      cases: [{ name: 'differs', input: fold, output: { project_id: '0x' } }],
    })
    const { status, stdout } = await run(file)
    expect(status).toBe(1)
    expect(stdout).toContain(
      'project-id: 0/1\n  first difference: differs\n    expected {"project_id":"0x"}\n',
    )
    expect(stdout).toContain('got      {"project_id":"0x')
  })

  test('prints one line for a topic in several files, and names the file of a difference', async () => {
    const one = write('one.json', {
      topics: { 'project-id': [{ ...refused, input: { ...fold, slug: 'F' } }] },
    })
    const other = write('other.json', {
      topics: { 'project-id': [{ name: 'differs', input: fold, output: { project_id: '0x' } }] },
    })
    const { status, stdout } = await run(one, other)
    expect(status).toBe(1)
    expect(stdout).toContain(`project-id: 1/2\n  first difference: differs, in ${other}\n`)
  })

  test('exits with 1 and names a topic without runner', async () => {
    const { status, stdout } = await run(write('weather.json', { cases: [refused] }))
    expect(status).toBe(1)
    expect(stdout).toBe('weather: 0/1\n  topic "weather" is not implemented\n')
  })

  const oneEmpty = { topics: { 'project-id': [refused], siwe: [] } }
  const [bare, withLimit] = [
    { name: 'bare', wasm_hex: '00' },
    { ...moduleCase, gas_limit: 1 },
  ]
  const idle = { gas_limit: 1, expect: {} }

  test.each<[string, topic: string, content: unknown, message: string]>([
    ['text that is not JSON', 'broken', '{', 'is not JSON'],
    ['a document without cases', 'none', {}, 'has no list of cases'],
    ['no topics', 'topics', { topics: {} }, 'has no topic, so nothing would be tested'],
    ['no cases', 'empty', [], 'topic empty has no case'],
    ['one empty topic among others', 'partly', oneEmpty, 'topic siwe has no case'],
    [
      'an output that states nothing',
      'siwe',
      [refused, { ...refused, output: {} }],
      'refused of topic siwe states no output',
    ],
    ['a case without output', 'siwe', [refused, { input: {} }], 'case 2 of topic siwe states no output'],
    ['a case that is not an object', 'siwe', [7], 'case 1 of topic siwe states no output'],
    ['a module without call', 'engine', [bare], 'bare of topic engine cannot be run: call: '],
    ['a module without expectation', 'engine', [withLimit], 'module of topic engine cannot be run: expect: '],
    [
      'a module without runs',
      'engine',
      [{ ...moduleCase, runs: [] }],
      'engine cannot be run: runs: must not be empty',
    ],
    [
      'a run that expects nothing',
      'engine',
      [{ ...moduleCase, runs: [idle] }],
      'cannot be run: runs.0.expect.success: ',
    ],
    [
      'a case without module among cases with one',
      'engine',
      [refused, withLimit],
      'refused of topic engine cannot be run: wasm_hex: ',
    ],
  ])('exits with 2 and a clear message for %s', async (_, topic, content, message) => {
    const { status, stderr } = await run(
      write(`${topic}.json`, Array.isArray(content) ? { cases: content } : content),
    )
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test('exits with 2 and a clear message for a missing file', () => {
    const { status, stderr } = command([path.join(folder, 'absent.json')])
    expect([status, stderr]).toEqual([2, expect.stringContaining('ENOENT')])
  })

  test('passes all vectors of the project, lists each topic once, and docs/vectors.md names it', async () => {
    const { status, stdout } = await run()
    expect(stdout).toMatch(/^random-modules: (\d+)\/\1$/m)
    expect(stdout).toMatch(/^siwe: (\d+)\/\1$/m)
    expect(status).toBe(0)
    const topics = stdout.match(/^[a-z0-9-]+(?=:)/gm) ?? []
    expect(new Set(topics).size).toBe(topics.length)
    const page = readFileSync(path.join(import.meta.dirname, '../docs/vectors.md'), 'utf8')
    for (const topic of topics) expect(page).toContain(`\`${topic}\``)
  })

  test('exits with 2 for an unknown option, and with 0 for --help', async () => {
    expect((await run('--fast')).status).toBe(2)
    expect(await run('--engine', 'neither')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('native, pulley or both'),
    })
    expect(await run('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Usage: npm run vectors'),
    })
  })
})
