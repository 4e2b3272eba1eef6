import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const folder = mkdtempSync(path.join(tmpdir(), 'vectors-'))
afterAll(() => rmSync(folder, { recursive: true }))

const run = (...args: string[]) =>
  spawnSync(process.execPath, [path.join(import.meta.dirname, 'vectors.ts'), ...args], { encoding: 'utf8' })

const write = (name: string, content: unknown) => {
  const file = path.join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const fold = { developer: `0x${'00'.repeat(20)}`, slug: 'fold' }
const refused = { name: 'refused', input: { slug: 'F' }, output: { error: 'invalid_slug' } }

describe('npm run vectors', () => {
  test('passes a file whose topic is its name, with common members under every input', () => {
    const file = write('project-id.json', { common: { developer: fold.developer }, cases: [refused] })
    expect(run(file)).toMatchObject({ status: 0, stdout: 'project-id: 1/1\n' })
  })

  test('runs several topics under the profile of the file', () => {
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
    expect(run(file)).toMatchObject({ status: 0, stdout: 'project-id: 1/1\nprofile: 1/1\n' })
  })

  test('exit 1 and the first difference when an answer differs', () => {
    const file = write('project-id.json', {
      cases: [{ name: 'differs', input: fold, output: { project_id: '0x' } }],
    })
    const { status, stdout } = run(file)
    expect(status).toBe(1)
    expect(stdout).toContain(
      'project-id: 0/1\n  first difference: differs\n    expected {"project_id":"0x"}\n',
    )
    expect(stdout).toContain('got      {"project_id":"0x')
  })

  test('exit 1 and the name of a topic without runner', () => {
    const { status, stdout } = run(write('weather.json', { cases: [refused] }))
    expect(status).toBe(1)
    expect(stdout).toBe('weather: 0/1\n  topic "weather" is not implemented\n')
  })

  test.each([
    ['a missing file', () => path.join(folder, 'absent.json'), 'ENOENT'],
    ['text that is no JSON', () => write('broken.json', '{'), 'is not JSON'],
    ['a document without cases', () => write('empty.json', {}), 'has no list of cases'],
  ])('exit 2 and a clear message for %s', (_, file, message) => {
    const { status, stderr } = run(file())
    expect(status).toBe(2)
    expect(stderr).toContain(message)
  })

  test('the project passes its own vectors, those of the engine too', () => {
    const { status, stdout } = run()
    expect(stdout).toMatch(/^random-modules: (\d+)\/\1$/m)
    expect(stdout).toMatch(/^siwe: (\d+)\/\1$/m)
    expect(status).toBe(0)
  })

  test('exit 2 for an unknown option, 0 for --help', () => {
    expect(run('--fast').status).toBe(2)
    expect(run('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Usage: npm run vectors'),
    })
  })
})
