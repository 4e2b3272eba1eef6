import { unixNow } from '../../durable-objects/clock.ts'
import { bytesToHex, zeroAddress } from '../../protocol/encoding/index.ts'
import { parseArtifact } from '../../protocol/hbc/artifact.ts'
import type { Services } from '../services.ts'
import pinned from './suite.json' with { type: 'json' }

/** One run of the suite, with the receipt that every device gets. */
export interface BenchmarkCase {
  name: string
  module_address: string
  function: string
  input: string
  gas_limit: number
  receipt_hash: string
}

/** The suite of this hub; `scripts/benchmark-suite.ts` writes it. */
export const suite: string = pinned.suite
export const cases: readonly BenchmarkCase[] = pinned.cases

/** The pinned cases of which a report says another receipt. What it does not report, or nobody pinned, says nothing. */
export function differingCases(reported: readonly Pick<BenchmarkCase, 'name' | 'receipt_hash'>[]): string[] {
  const receipts = new Map(cases.map(({ name, receipt_hash }) => [name, receipt_hash]))
  return reported
    .filter(({ name, receipt_hash }) => receipts.has(name) && receipts.get(name) !== receipt_hash)
    .map(({ name }) => name)
}

const stored = new WeakSet<Services>()

/** Sees that devices can download what the suite names, as they download any module. Nobody owns these. */
export async function storeSuiteModules(services: Services): Promise<void> {
  if (stored.has(services)) return
  for (const { hbc_b64 } of pinned.modules) await storeModule(services, Buffer.from(hbc_b64, 'base64'))
  stored.add(services)
}

async function storeModule({ modules }: Services, bytes: Uint8Array): Promise<void> {
  const { manifest, manifestAddress, guest } = parseArtifact(bytes)
  if ((await modules.find(manifestAddress)) !== null) return
  const digest = await crypto.subtle.digest('SHA-256', bytes as BufferSource)
  const module = {
    manifestAddress,
    sha256: bytesToHex(new Uint8Array(digest)).slice(2),
    name: manifest.name,
    language: manifest.language,
    functions: [...manifest.functions],
    manifest: { ...manifest },
    hbcSize: bytes.length,
    stateless: guest.stateless,
    uploader: zeroAddress,
    deployedAt: unixNow(),
  }
  await modules.insert(module, bytes)
}
