import { readdirSync, readFileSync } from 'node:fs'
import { parseYaml } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'

interface Step {
  uses?: string
  run?: string
  with?: Record<string, unknown>
}
interface Job {
  permissions?: Record<string, string>
  environment?: string
  'timeout-minutes'?: number
  strategy?: { matrix: Record<string, unknown[]> }
  steps: Step[]
}
interface Workflow {
  on: Record<string, unknown>
  permissions?: Record<string, string>
  jobs: Record<string, Job>
}

const folder = '.github/workflows'
const names = readdirSync(folder).sort()
const textOf = (name: string) => readFileSync(`${folder}/${name}`, 'utf8')
const workflowOf = (name: string) => parseYaml(textOf(name)) as Workflow
const scripts = JSON.parse(readFileSync('package.json', 'utf8')).scripts as Record<string, string>

/** The permissions of jobs beyond reading the repository. */
const granted: Record<string, Record<string, string>> = {
  'plan.yml comment': { 'pull-requests': 'write' },
  'release.yml publish': { contents: 'read', 'id-token': 'write' },
  'release.yml release': { contents: 'write' },
}

describe.each(names)('.github/workflows/%s', (name) => {
  const { on, permissions, jobs } = workflowOf(name)
  const steps = Object.values(jobs).flatMap((job) => job.steps)
  const runs = steps.flatMap(({ run }) => run ?? [])

  test('pins actions to a commit, with the version in a comment', () => {
    const used = steps.flatMap(({ uses }) => uses ?? [])
    const pinned = textOf(name).match(/^ +- uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm) ?? []
    expect(pinned).toHaveLength(used.length)
  })

  test('has no more permissions than it needs, and leaves no credentials in the checkout', () => {
    expect(permissions).toEqual({ contents: 'read' })
    for (const [job, { permissions: own }] of Object.entries(jobs))
      expect(own, job).toEqual(granted[`${name} ${job}`])
    for (const { uses, with: options } of steps)
      if (uses?.startsWith('actions/checkout@')) expect(options?.['persist-credentials']).toBe(false)
  })

  test('runs no external text, and gives a pull request neither secrets nor write permissions', () => {
    for (const run of runs) expect(run).not.toContain('${{')
    expect(Object.keys(on)).not.toContain('pull_request_target')
    expect(Object.keys(on)).not.toContain('workflow_run')
    if (!('pull_request' in on)) return
    expect(textOf(name)).not.toMatch(/secrets[.[]/)
    for (const [job, { permissions: own, steps: its }] of Object.entries(jobs))
      if (own !== undefined)
        expect(
          its.every(({ uses }) => uses === undefined),
          job,
        ).toBe(true)
  })

  test('runs existing commands after `npm ci`, and has a time limit', () => {
    for (const [job, { steps: its, ...rest }] of Object.entries(jobs)) {
      expect(rest['timeout-minutes'], job).toBeLessThanOrEqual(60)
      const all = its.flatMap(({ run }) => run ?? []).join('\n')
      const called = [...all.matchAll(/npm (?:run (?:-s )?)?([\w:]+)/g)].map(([, command]) => command!)
      const own = called.filter((command) => !['ci', 'audit', 'sbom', 'publish', 'pkg'].includes(command))
      for (const command of own) expect(Object.keys(scripts)).toContain(command)
      if (own.length > 0) expect(all).toMatch(/^npm ci\n/)
    }
  })
})

test('the tests run on Node 20 and the current version', () => {
  const { test: job } = workflowOf('test.yml').jobs
  expect(job?.strategy?.matrix.node).toEqual(['20', 'current'])
  expect(JSON.parse(readFileSync('package.json', 'utf8')).engines.node).toBe('>=20')
})

test('deployments and releases need approval, checked signatures, provenance and a bill of materials', () => {
  const deploy = workflowOf('deploy.yml')
  expect(Object.keys(deploy.on)).toEqual(['push'])
  expect(deploy.on.push).toEqual({ tags: ['testnet-*'] })
  expect(deploy.jobs.up?.environment).toBe('testnet')
  const release = textOf('release.yml')
  for (const said of [
    /npm audit signatures/,
    /npm publish --provenance/,
    /npm sbom .*--sbom-format cyclonedx/,
  ])
    expect(release).toMatch(said)
  expect(workflowOf('release.yml').jobs.publish).toMatchObject({
    environment: 'npm',
    strategy: { matrix: { package: ['node-cli', 'sdk'] } },
  })
})
