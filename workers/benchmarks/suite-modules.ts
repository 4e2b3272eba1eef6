import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, zeroAddress } from '../../protocol/encoding/index.ts'
import { parseArtifact } from '../../protocol/hbc/artifact.ts'
import type { Module } from '../stores/modules.ts'
import modules from './suite-modules.json' with { type: 'json' }

/** A module that comes with the hub, so that devices can run the suite wherever nobody has uploaded it. Nobody owns it. */
export function findSuiteModule(address: string): { record: Module; bytes: Uint8Array } | null {
  const found = modules.find((module) => module.address === address)
  if (found === undefined) return null
  const bytes = new Uint8Array(Buffer.from(found.hbc_b64, 'base64'))
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
