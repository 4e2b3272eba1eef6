import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { listFiles, readText } from '../imports/graph.ts'
import { findMentions, isMentioned, isThere } from './mentions.ts'

const files = listFiles('')
// The changelog speaks of the time it was written in.
const pages = files.filter((file) => file.endsWith('.md') && !/^CHANGELOG/.test(file))
const code = listFiles('.ts', '.mjs', '.sol', '.toml', '.json', '.sql')
  .filter((file) => !/package-lock/.test(file))
  .map(readText)
  .join('\n')
const names = new Set(code.match(/[A-Za-z_$][\w$]*/g))
// Scripts of this repository, and of the projects that it creates.
const scripts: Record<string, string> = Object.assign(
  {},
  ...['package.json', 'create/template/project.json'].map((file) => JSON.parse(readText(file)).scripts),
)

describe.each(pages)('%s', (page) => {
  const mentions = findMentions(readText(page))
  const of = (kind: string) => mentions.filter((one) => one.kind === kind).map(({ text }) => text)

  test('every link leads to a file and a heading', () => {
    const broken = of('link').filter((link) => {
      const [target = '', heading] = link.split('#')
      const file = target === '' ? page : path.posix.join(path.posix.dirname(page), target)
      if (!isThere(files, file)) return true
      return heading !== undefined && !headingsOf(readText(file)).has(heading)
    })
    expect(broken).toEqual([])
  })

  test('every path and file name exists', () => {
    expect(of('path').filter((one) => !isMentioned(files, one))).toEqual([])
  })

  test('every name exists in the code', () => {
    expect(of('name').filter((name) => !names.has(name))).toEqual([])
  })

  test('every npm script exists', () => {
    expect(of('script').filter((script) => !Object.hasOwn(scripts, script))).toEqual([])
  })
})

/** Commands name pages from the root, whatever folder they are called in. */
test.each(listFiles('.ts').filter((file) => /^(?:tools|create)\//.test(file) && !file.endsWith('.test.ts')))(
  'every page that %s names exists',
  (file) => {
    const named = readText(file).match(/(?<![\w./-])(?:[\w-]+\/)+[\w-]+\.md\b/g) ?? []
    expect(named.filter((page) => !isThere(files, page))).toEqual([])
  },
)

const headingsOf = (markdown: string): Set<string> =>
  new Set(
    [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

describe('findMentions', () => {
  test('finds links, paths, names and scripts, and ignores other text', () => {
    const page = [
      '[one](../a/b.ts#c) [out](https://example.com) `workers/app.ts` `answer` `readBody()` `GET /v1/x`',
      '```ts',
      '`inside/code.ts`',
      '```',
      'npm run -s sign-in',
    ].join('\n')
    expect(findMentions(page)).toEqual([
      { kind: 'link', text: '../a/b.ts#c' },
      { kind: 'script', text: 'sign-in' },
      { kind: 'path', text: 'workers/app.ts' },
      { kind: 'name', text: 'readBody' },
    ])
  })

  test('isMentioned accepts a path, the end of a path, a folder, or a file without its extension', () => {
    const all = ['docs/a.md', 'docs/deep/b.md', 'src/c.ts']
    for (const one of ['docs/a.md', 'b.md', 'deep/b.md', 'deep/', 'src', 'src/c'])
      expect(isMentioned(all, one)).toBe(true)
    for (const one of ['d.md', 'eep/', 'docs/c.ts']) expect(isMentioned(all, one)).toBe(false)
  })

  test('isThere accepts only paths from the root', () => {
    expect(isThere(['docs/a.md'], 'docs/a.md')).toBe(true)
    expect(isThere(['docs/a.md'], 'docs/')).toBe(true)
    expect(isThere(['docs/a.md'], 'a.md')).toBe(false)
  })
})
