import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { expect, test } from 'vitest'
import { snippetsOf } from './snippets.ts'
import { copiedInput } from './task-input.ts'

const given = { origin: 'http://localhost:8787', project: 'sample-echo', fn: 'echo', isKeyed: false }
const options = { project: { type: 'string' }, input: { type: 'string' }, hub: { type: 'string' } } as const

test.each(['-5', '--json', "it's -n 'quoted'", '{"a":[1,2]}', ''])(
  'the command for a checkout submits the input %s byte for byte',
  (text) => {
    const { shell } = snippetsOf({ ...given, input: copiedInput('plain', text) })
    const script = `npm() { shift 4; printf '%s\\0' "$@"; }\n${shell}`
    const args = execFileSync('sh', ['-c', script]).toString().split('\0').slice(0, -1)
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    expect({ ...values, positionals }).toEqual({
      ...{ project: given.project, hub: given.origin, input: text },
      positionals: [given.fn],
    })
  },
)

test('programs send a key only to a project that takes tasks with a key', () => {
  const input = copiedInput('json', '[1]')
  const keyed = snippetsOf({ ...given, isKeyed: true, input })
  // As a shell and a program read them, with the key in their environment.
  const script = `curl() { printf '%s\\0' "$@"; }\n${keyed.curl}`
  const args = execFileSync('sh', ['-c', script], { env: { ...process.env, HUB_API_KEY: 'a key' } })
  expect(args.toString().split('\0')).toContain('Authorization: Bearer a key')
  expect(keyed.typescript).toContain(`Authorization: \`Bearer \${process.env.HUB_API_KEY}\``)
  expect(Object.values(snippetsOf({ ...given, input })).join()).not.toContain('Authorization')
})
