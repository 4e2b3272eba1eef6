import { describe, expect, test } from 'vitest'
import { listFiles, readText } from '../imports/graph.ts'
import { countWords } from './words.ts'

const json = (file: string) => JSON.parse(readText(file))
const openApi = json('public/openapi.json') as {
  paths: Record<string, Record<string, unknown>>
  components: { schemas: Record<string, { properties: Record<string, unknown> }> }
}

test.each([
  ['README.md', 700],
  ['AGENTS.md', 1_200],
])('%s has at most %i words', (page, wordsMax) => {
  expect(countWords(readText(page))).toBeLessThanOrEqual(wordsMax)
})

test('README.md shows the first task and its result within 40 lines', () => {
  const beginning = readText('README.md').split('\n').slice(0, 40).join('\n')
  const project = /sampleSlug = '(.+)'/.exec(readText('localnet/sample/manifest.ts'))?.[1]
  expect(beginning).toContain(`/v1/projects/${project}/tasks?wait=30`)
  const result = JSON.parse(/^```json\n([\s\S]+?)^```/m.exec(beginning)?.[1] ?? '{}')
  expect(result).toMatchObject({ status: 'finalized', success: true, output: '{"hello":"world"}' })
  expect(openApi.components.schemas.Task?.properties).toMatchObject(
    Object.fromEntries(Object.keys(result).map((member) => [member, expect.anything()])),
  )
})

/** The folders of a round, in the order in which it passes them. */
const roomsOfRound = [
  'protocol/rounds',
  'durable-objects/round',
  'workers/rounds',
  'node-cli/src/serve/miner',
  'node-cli/src/serve/validator',
]

test.each(roomsOfRound)(
  '%s/README.md begins with the drawing of a round, and marks its own place',
  (room) => {
    const drawingOf = (one: string) =>
      /^# .+\n\n```text\n([\s\S]+?)\n```/.exec(readText(`${one}/README.md`))?.[1]?.split('\n') ?? []
    const lines = drawingOf(room)
    const unmarked = (drawn: readonly string[]) => drawn.map((line) => line.replace(/ +← you are here$/, ''))
    expect(lines.filter((line) => line.includes('you are here'))).toEqual([
      expect.stringMatching(new RegExp(`^${room} `)),
    ])
    expect(unmarked(lines)).toEqual(unmarked(drawingOf(roomsOfRound[0]!)))
    for (const one of roomsOfRound) expect(lines.join('\n')).toContain(one)
  },
)

test('docs/contribute.md lists every npm script', () => {
  const { scripts } = json('package.json') as { scripts: Record<string, string> }
  const listed = new Set(
    [...readText('docs/contribute.md').matchAll(/^\| `npm (?:run )?(?:-s )?([\w:-]+)/gm)].map(
      ([, name]) => name,
    ),
  )
  expect(Object.keys(scripts).filter((name) => name !== 'postinstall' && !listed.has(name))).toEqual([])
})

test('AGENTS.md has a row for every top-level folder', () => {
  const page = readText('AGENTS.md')
  const folders = new Set(listFiles('').flatMap((file) => /^(\w[^/]*)\//.exec(file)?.[1] ?? []))
  expect([...folders].filter((folder) => !page.includes(`\`${folder}/\``))).toEqual([])
})

describe('every call of the API that a page names exists', () => {
  const shape = (path: string) => path.replaceAll(/\{[^}]+\}/g, '{}')
  const calls = new Set(
    Object.entries(openApi.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${shape(path)}`),
    ),
  )
  test.each(listFiles('.md').filter((file) => !file.startsWith('CHANGELOG')))('%s', (page) => {
    const named = [
      ...readText(page).matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/(?:v1|admin)\/[^\s`?"]*)/g),
    ].map(([, call]) => shape(call!))
    expect(named.filter((call) => !calls.has(call))).toEqual([])
  })
})
