import { expect, test } from 'vitest'
import { parseArtifact } from '../../../protocol/hbc/artifact.ts'
import { bodyOf, client } from '../../test/client.ts'
import { createDeveloper, manifestOf } from '../../test/project.ts'

interface Suite {
  suite: string
  cases: { module_address: string; function: string; receipt_hash: string }[]
}

test('GET /v1/benchmarks/current: every case names a module that can be downloaded', async () => {
  const suite = await bodyOf(client().get('/v1/benchmarks/current'))
  expect(suite.suite).toBe('bench-v1')
  expect(suite.cases.length).toBeGreaterThan(0)
  for (const { module_address: address, function: name } of suite.cases) {
    const response = await client().get(`/v1/modules/${address}/hbc`)
    const { manifest, manifestAddress } = parseArtifact(new Uint8Array(await response.arrayBuffer()))
    expect(manifestAddress).toBe(address)
    expect(manifest.functions).toContain(name)
  }
})

test('a module of the suite can be read like any other: its record, and a part of its bytes', async () => {
  const suite = await bodyOf(client().get('/v1/benchmarks/current'))
  const path = `/v1/modules/${suite.cases[0]?.module_address}`
  expect(await bodyOf(client().get(path))).toMatchObject({
    manifest_address: suite.cases[0]?.module_address,
    functions: [suite.cases[0]?.function],
  })
  const part = await client().get(`${path}/hbc`, { Range: 'bytes=1-4' })
  expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 4])
})

test('a module of the suite can be the worker of a project', async () => {
  const { cases } = await bodyOf(client().get('/v1/benchmarks/current'))
  const [{ module_address: address, function: name }] = cases as [Suite['cases'][number]]
  const developer = await createDeveloper()
  const manifest = manifestOf(developer, { address, functions: [name] })
  const { problems } = await bodyOf<{ problems: { path: string }[] }>(
    developer.client.post('/v1/developers/projects/prepare', { manifest }),
  )
  expect(problems.map(({ path }) => path)).not.toContain('consensus.modules.worker')
})
