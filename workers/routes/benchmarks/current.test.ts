import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { parseArtifact } from '../../../protocol/hbc/artifact.ts'
import { client } from '../../test/client.ts'

test('GET /v1/benchmarks/current: every case names a module that can be downloaded, and is stored once', async () => {
  const suite = (await (await client().get('/v1/benchmarks/current')).json()) as {
    suite: string
    cases: { module_address: string; function: string; receipt_hash: string }[]
  }
  expect(suite.suite).toBe('bench-v1')
  expect(suite.cases.length).toBeGreaterThan(0)
  for (const { module_address: address, function: name } of suite.cases) {
    const response = await client().get(`/v1/modules/${address}/hbc`)
    const { manifest, manifestAddress } = parseArtifact(new Uint8Array(await response.arrayBuffer()))
    expect(manifestAddress).toBe(address)
    expect(manifest.functions).toContain(name)
  }
  await client().get('/v1/benchmarks/current')
  const stored = await env.DB.prepare('SELECT count(*) AS n FROM modules').first<{ n: number }>()
  expect(stored?.n).toBe(new Set(suite.cases.map((one) => one.module_address)).size)
})
