import * as z from 'zod'
import { base64ToBytes } from '../../../protocol/encoding/index.ts'
import { artifactBytesMax } from '../../../protocol/hbc/artifact.ts'
import type { HubContext } from '../../context.ts'
import { invalidField } from '../../errors.ts'
import { readBase64Body } from '../../http/base64-body.ts'
import { parseJsonBody, requireContentType } from '../../http/body.ts'
import { validate } from '../../http/validate.ts'
import { defineRoute, reply } from '../../route.ts'
import { ModuleView, moduleExample } from './schema.ts'
import { storeModule } from './store.ts'

const ModuleUpload = z
  .strictObject({
    hbc_b64: z.string().meta({
      description: 'The artifact bytes in base64, standard alphabet with padding; at most 16 MiB decoded.',
      contentEncoding: 'base64',
    }),
  })
  .meta({ id: 'ModuleUpload' })

/** The longest body: an artifact of the largest size in base64, with room for escapes. */
const bodyBytesMax = 24 * 1024 * 1024

export const uploadModule = defineRoute(
  {
    method: 'post',
    path: '/v1/modules',
    operationId: 'uploadModule',
    tag: 'Modules',
    summary: 'Upload a module as base64',
    description:
      'The hub checks the artifact completely and computes its address. For large artifacts `PUT /v1/modules/{address}/hbc` saves a third of the bytes.',
    auth: { session: true, apiKey: 'modules:write' },
    stores: 'files',
    budget: 'module_upload',
    idempotent: true,
    json: {
      schema: ModuleUpload,
      example: { hbc_b64: 'UEsDBBQAAAAAAA…' },
      bytesMax: bodyBytesMax,
      read: readArtifactBytes,
    },
    errors: ['already_exists', 'too_large'],
    responses: reply(201, 'The record of the stored module.', ModuleView, moduleExample, {
      Location: 'Path of the record.',
    }),
  },
  (c, { json: artifact }) => {
    if (artifact === null)
      throw invalidField('hbc_b64', 'must be base64 of the standard alphabet, with padding')
    return storeModule(c, artifact, 'hbc_b64')
  },
)

/** The artifact; null for a text that is not base64. */
async function readArtifactBytes(c: HubContext): Promise<Uint8Array | null> {
  requireContentType(c, 'application/json')
  const { json, bytes } = await readBase64Body(c, 'hbc_b64', { bodyBytesMax, bytesMax: artifactBytesMax })
  const { hbc_b64 } = validate(ModuleUpload, parseJsonBody(json))
  // A body may write the name of the member with escapes, and then it is read as any other.
  return bytes === undefined ? base64ToBytes(hbc_b64) : bytes
}
