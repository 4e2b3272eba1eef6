import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const folder = mkdtempSync(path.join(tmpdir(), 'generate-'))
afterAll(() => rmSync(folder, { recursive: true }))

const generate = (...files: string[]) =>
  spawnSync(process.execPath, [path.join(import.meta.dirname, 'generate.ts'), ...files], { encoding: 'utf8' })

function write(name: string, content: object): string {
  const file = path.join(folder, name)
  writeFileSync(file, JSON.stringify(content))
  return file
}

const input = { developer: `0x${'00'.repeat(20)}`, slug: 'fold' }

describe('generate', () => {
  test('fills in missing outputs, and does not change other cases', () => {
    const kept = { name: 'kept', input, output: { project_id: '0x' } }
    const file = write('project-id.json', { cases: [kept, { name: 'new', input }] })
    expect(generate(file)).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(readFileSync(file, 'utf8')).cases).toEqual([
      kept,
      { name: 'new', input, output: { project_id: expect.stringMatching(/^0x[0-9a-f]{64}$/) } },
    ])
  })

  test('names each refusal that it writes', () => {
    const wrong = { name: 'misspelt', input: { ...input, slug: 'Fold' } }
    const file = write('project-id.json', { cases: [wrong] })
    expect(generate(file)).toMatchObject({
      status: 0,
      stderr: `${file}: topic project-id, case misspelt: wrote the refusal invalid_slug; check that its input is meant to be refused\n`,
    })
    expect(JSON.parse(readFileSync(file, 'utf8')).cases).toEqual([
      { ...wrong, output: { error: 'invalid_slug' } },
    ])
  })

  test('a case without a runner stays without output', () => {
    const lost = { name: 'lost', input }
    const file = write('weather.json', { cases: [lost] })
    const { status, stderr } = generate(file)
    expect(status).toBe(1)
    expect(stderr).toContain('topic weather, case lost cannot be answered and stays without output: ')
    expect(JSON.parse(readFileSync(file, 'utf8')).cases).toEqual([lost])
  })

  test('prints its usage if no file is named', () => {
    expect(generate()).toMatchObject({ status: 2, stderr: expect.stringContaining('generate.ts FILE…') })
  })
})
