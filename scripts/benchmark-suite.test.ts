import { afterAll, describe, expect, test } from 'vitest'
import { closeThreads } from '../node-cli/src/engine/index.ts'
import { openArtifact } from '../protocol/hbc/artifact.ts'
import suite from '../workers/benchmarks/suite.json' with { type: 'json' }
import modules from '../workers/benchmarks/suite-modules.json' with { type: 'json' }
import { agreedReceipt } from './testing/benchmark-receipt.ts'

afterAll(closeThreads)

const bytesOf = (address: string): Uint8Array => {
  const found = modules.find((module) => module.address === address)
  if (found === undefined) throw new Error(`the suite lacks the module ${address}`)
  return Buffer.from(found.hbc_b64, 'base64')
}

describe('the benchmark suite', () => {
  test.each(modules)('$address is the address of its module', ({ address }) => {
    expect(openArtifact(bytesOf(address)).manifestAddress).toBe(address)
  })

  test.each(suite.cases)('$name has the pinned receipt, on both engines', async (one) => {
    expect(await agreedReceipt(one, bytesOf(one.module_address))).toBe(one.receipt_hash)
  })
})
