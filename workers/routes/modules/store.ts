import { unixNow } from '../../../durable-objects/clock.ts'
import { bytesToHex } from '../../../protocol/encoding/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { type Answer, json } from '../../http/answer.ts'
import { walletOf } from '../../middleware/authenticate.ts'
import type { Module } from '../../stores/modules.ts'
import { readArtifact } from './artifact.ts'
import { modulePath, moduleView } from './schema.ts'

/**
 * Checks an artifact, stores it and answers 201 with its record; both upload forms end here. @param expectedAddress The address the caller
 * says it has.
 */
export async function storeModule(
  c: HubContext,
  bytes: Uint8Array,
  field: string,
  expectedAddress?: string,
): Promise<Answer> {
  const { modules } = c.var.services
  const { manifest, manifestAddress, stateless } = readArtifact(bytes, field)
  if (expectedAddress !== undefined && expectedAddress !== manifestAddress)
    throw new ApiError(
      'invalid_manifest',
      `The artifact has the address ${manifestAddress}, not ${expectedAddress}.`,
      { details: { manifest_address: manifestAddress } },
    )

  const exists = () =>
    new ApiError('already_exists', `The module ${manifestAddress} was uploaded before.`, {
      details: { manifest_address: manifestAddress },
    })
  const known = await modules.find(manifestAddress)
  // A second try pays for the digest, which says whether an earlier one stored these bytes.
  if (known !== null && !c.var.operation.isRetry) throw exists()

  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as BufferSource))
  const sha256 = bytesToHex(digest).slice(2)
  if (known !== null) {
    if (known.uploader !== walletOf(c) || known.sha256 !== sha256) throw exists()
    return answerStored(known)
  }
  const module = {
    manifestAddress,
    sha256,
    name: manifest.name,
    language: manifest.language,
    functions: [...manifest.functions],
    manifest: { ...manifest },
    hbcSize: bytes.length,
    stateless,
    uploader: walletOf(c),
    deployedAt: unixNow(),
  }
  if ((await modules.insert(module, bytes)) === 'exists') throw exists()
  return answerStored({ ...module, execCount: 0 })
}

const answerStored = (module: Module): Answer =>
  json(moduleView(module), 201, { Location: modulePath(module.manifestAddress) })
