import { unixNow } from '../../../durable-objects/clock.ts'
import { bytesToHex } from '../../../protocol/encoding/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { type Answer, json } from '../../http/answer.ts'
import { walletOf } from '../../middleware/authenticate.ts'
import { readArtifact } from './artifact.ts'
import { modulePath, moduleView } from './schema.ts'

/**
 * Checks an artifact, stores it and answers 201 with its record; both upload forms end here.
 *
 * @param expectedAddress The address the caller says it has.
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
      {
        details: { manifest_address: manifestAddress },
      },
    )

  const exists = () =>
    new ApiError('already_exists', `The module ${manifestAddress} was uploaded before.`, {
      details: { manifest_address: manifestAddress },
    })
  if (await modules.find(manifestAddress)) throw exists()

  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as BufferSource))
  const module = {
    manifestAddress,
    sha256: bytesToHex(digest).slice(2),
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
  return json(moduleView({ ...module, execCount: 0 }), 201, { Location: modulePath(manifestAddress) })
}
