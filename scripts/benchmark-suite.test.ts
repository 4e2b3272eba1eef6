import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { closeThreads } from '../node-cli/src/engine/index.ts'
import { openArtifact } from '../protocol/hbc/artifact.ts'
import suite from '../workers/benchmarks/suite.json' with { type: 'json' }
import { agreedReceipt } from './testing/benchmark-receipt.ts'

afterAll(closeThreads)

const folder = path.join(import.meta.dirname, '../public/benchmarks')
const bytesOf = (address: string) => readFileSync(path.join(folder, `${address}.hbc`))

describe('the benchmark suite', () => {
  test('its folder contains exactly its modules, each named by its address', () => {
    const addresses = readdirSync(folder).map((file) => file.replace('.hbc', ''))
    for (const address of addresses) expect(openArtifact(bytesOf(address)).manifestAddress).toBe(address)
    expect(addresses.sort()).toEqual([...new Set(suite.cases.map((one) => one.module_address))].sort())
  })

  test.each(suite.cases)('$name has the pinned receipt, on both engines', async (one) => {
    expect(await agreedReceipt(one, bytesOf(one.module_address))).toBe(one.receipt_hash)
  })
})
