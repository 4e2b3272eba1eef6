import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { causes } from '../protocol/causes.ts'
import { errorCodes } from '../protocol/errors.ts'

test('every error code has its page, and no page is about another code', () => {
  const pages = readdirSync('docs/errors').filter((name) => name !== 'README.md')
  expect(pages.sort()).toEqual(
    Object.keys(errorCodes)
      .map((code) => `${code}.md`)
      .sort(),
  )
  const index = readFileSync('docs/errors/README.md', 'utf8')
  for (const [code, { title }] of Object.entries(errorCodes)) {
    expect(readFileSync(`docs/errors/${code}.md`, 'utf8')).toContain(title)
    expect(index).toContain(`[${code}](${code}.md)`)
  }
})

test('every cause has its page and its row, and no page is about another one', () => {
  const pages = readdirSync('docs/causes').filter((name) => name !== 'README.md')
  expect(pages.sort()).toEqual(
    Object.keys(causes)
      .map((code) => `${code}.md`)
      .sort(),
  )
  expect(pages.length).toBeGreaterThan(30)
  const index = readFileSync('docs/causes/README.md', 'utf8')
  for (const [code, { severity, title }] of Object.entries(causes)) {
    const page = readFileSync(`docs/causes/${code}.md`, 'utf8')
    expect(page).toMatch(new RegExp(`^# ${code}\n\n${title}. Severity \`${severity}\``))
    for (const part of ['Symptom', 'Cause', 'What to do', 'It is over when'])
      expect(page, code).toMatch(new RegExp(`^## ${part}\n\n\\S`, 'm'))
    expect(index).toContain(`| [${code}](${code}.md) | ${severity} | ${title} |`)
  }
})

test('every recovery from a slash has its page, and no page is about another code', () => {
  const { components } = JSON.parse(readFileSync('public/openapi.json', 'utf8')) as {
    components: { schemas: { Slash: { properties: { recovery: { anyOf: { enum?: string[] }[] } } } } }
  }
  const codes = components.schemas.Slash.properties.recovery.anyOf.flatMap((one) => one.enum ?? [])
  expect(codes.length).toBeGreaterThan(3)
  const pages = readdirSync('docs/recovery').filter((name) => name !== 'README.md')
  expect(pages.sort()).toEqual(codes.map((code) => `${code}.md`).sort())
  const index = readFileSync('docs/recovery/README.md', 'utf8')
  for (const code of codes) {
    expect(readFileSync(`docs/recovery/${code}.md`, 'utf8')).toMatch(new RegExp(`^# ${code}\n`))
    expect(index).toContain(`[${code}](${code}.md)`)
  }
})

test('the page of rate_limited has every limit that the OpenAPI document states', () => {
  const { info } = JSON.parse(readFileSync('public/openapi.json', 'utf8')) as {
    info: { description: string }
  }
  const rows = info.description.split('\n').filter((line) => line.startsWith('| '))
  expect(rows.length).toBeGreaterThan(10)
  expect(readFileSync('docs/errors/rate_limited.md', 'utf8')).toContain(rows.join('\n'))
})
