import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readCommand } from './read-command.ts'

const folder = 'docs/runbooks'
const pages = readdirSync(folder).filter((name) => name !== 'README.md')
const textOf = (page: string) => readFileSync(`${folder}/${page}`, 'utf8')
const sectionOf = (page: string, title: string) =>
  textOf(page)
    .split('\n## ')
    .find((part) => part.startsWith(`${title}\n`)) ?? ''

const alerts = readFileSync('deploy/monitoring/alerts.yml', 'utf8')
const dashboard = readFileSync('deploy/monitoring/dashboard.json', 'utf8')

describe.each(pages)('docs/runbooks/%s', (page) => {
  test('has every section, and is in the list', () => {
    const titles = [...textOf(page).matchAll(/^## (.+)$/gm)].map(([, title]) => title)
    expect(titles).toEqual(['Symptom', 'First', 'What is lost', 'It is over when', 'Practised by'])
    expect(textOf('README.md')).toContain(`](${page})`)
  })

  test('starts with three existing commands', () => {
    const [, block = ''] = /```sh\n([\s\S]*?)\n```/.exec(sectionOf(page, 'First')) ?? []
    const lines = block.split('\n')
    expect(lines).toHaveLength(3)
    const deploys = readFileSync('deploy/run.ts', 'utf8')
    for (const line of lines) {
      const [, operator] = /^npm run -s operator -- (.+)$/.exec(line) ?? []
      const [, deploy] = /^npm run -s deploy -- (\w+) --env testnet/.exec(line) ?? []
      if (operator !== undefined) expect(readCommand(operator.split(' '))).toHaveProperty('call')
      else if (deploy !== undefined) expect(deploys).toContain(`\n  ${deploy} `)
      else expect(line).toMatch(/^npx wrangler (tail|d1 time-travel info|deployments status) /)
    }
  })

  test('is practised by existing tests and scripts', () => {
    const practice = sectionOf(page, 'Practised by')
    const files = [...practice.matchAll(/`([\w./-]+\.test\.ts)`(?: \("(.+?)"\))?/g)]
    const runs = [...practice.matchAll(/npm run (chaos|bench) -- (\w+)/g)]
    expect(files.length + runs.length).toBeGreaterThan(0)
    for (const [, file, name] of files) expect(readFileSync(file!, 'utf8')).toContain(name ?? '')
    for (const [, kind, name] of runs)
      if (kind === 'chaos') expect(readFileSync('chaos/kinds.ts', 'utf8')).toContain(`  ${name}: `)
  })
})

test('each alert names an existing page', () => {
  const named = [...alerts.matchAll(/runbook: (\S+)/g)].map(([, page]) => page!)
  expect(named).toHaveLength(alerts.match(/- alert:/g)!.length)
  for (const page of named) expect(existsSync(page), page).toBe(true)
})

test('an alert that joins two metrics ignores the labels that one of them alone has', () => {
  const labelsOf = (part: string) => [...part.matchAll(/\{(\w+)=/g)].map(([, label]) => label!)
  const joins = [...alerts.matchAll(/expr: (.+) and (.+)/g)]
  expect(joins.length).toBeGreaterThan(0)
  for (const [expr, left, right] of joins) {
    const [, ignored = ''] = /^ignoring \((\w+)\)/.exec(right!) ?? []
    const shared = labelsOf(right!)
    expect(
      labelsOf(left!).filter((label) => !shared.includes(label) && label !== ignored),
      expr,
    ).toEqual([])
  }
})

test('an alert tells of a hub that is not well for a reason that no other alert has', () => {
  expect(alerts).toMatch(/expr: hub_ok == 0\n/)
})

test('alerts and dashboard read existing metrics of the hub, and the dashboard reads all of them', () => {
  const declared = new Set(
    readFileSync('workers/routes/admin/metrics.ts', 'utf8').match(/(?<=')hub_\w+(?=')/g),
  )
  for (const [name] of [...alerts.matchAll(/hub_\w+/g), ...dashboard.matchAll(/hub_\w+/g)])
    expect(declared).toContain(name)
  declared.delete('hub_info')
  expect([...declared].filter((name) => !dashboard.includes(name))).toEqual([])
})
