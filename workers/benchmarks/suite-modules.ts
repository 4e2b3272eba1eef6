import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, zeroAddress } from '../../protocol/encoding/index.ts'
import { parseArtifact } from '../../protocol/hbc/artifact.ts'
import type { Env } from '../env.ts'
import { unavailable } from '../errors.ts'
import type { Module } from '../stores/modules.ts'
import { cases } from './suite.ts'

/**
 * A module of the suite that comes with the hub, so that devices can run it where nobody has uploaded it; null for any other address.
 * @throws {@link ApiError} 503 `unavailable` when its asset cannot be read.
 */
export async function findSuiteModule(
  assets: Env['ASSETS'],
  address: string,
): Promise<{ record: Module; bytes: Uint8Array } | null> {
  if (!cases.some(({ module_address }) => module_address === address)) return null
  const bytes = await readAsset(assets, address)
  const { manifest, guest } = parseArtifact(bytes)
  const record = {
    manifestAddress: address,
    sha256: bytesToHex(sha256(bytes)).slice(2),
    name: manifest.name,
    language: manifest.language,
    functions: [...manifest.functions],
    manifest: { ...manifest },
    hbcSize: bytes.length,
    stateless: guest.stateless,
    uploader: zeroAddress,
    execCount: 0,
    deployedAt: 0,
  }
  return { record, bytes }
}

async function readAsset(assets: Env['ASSETS'], address: string): Promise<Uint8Array> {
  try {
    const response = await assets.fetch(`http://assets/benchmarks/${address}.hbc`)
    if (response.ok) return new Uint8Array(await response.arrayBuffer())
    throw new Error(`the module ${address} of the suite is answered with ${response.status}`)
  } catch (error) {
    throw unavailable('The benchmark suite', error)
  }
}
