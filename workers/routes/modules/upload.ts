import * as z from 'zod'
import { base64ToBytes } from '../../../protocol/encoding/index.ts'
import { artifactBytesMax } from '../../../protocol/hbc/artifact.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { defineRoute } from '../../route.ts'
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
    json: { schema: ModuleUpload, example: { hbc_b64: 'UEsDBBQAAAAAAA…' }, bytesMax: 24 * 1024 * 1024 },
    errors: ['already_exists', 'too_large'],
    responses: {
      201: {
        description: 'The record of the stored module.',
        schema: ModuleView,
        example: moduleExample,
        headers: { Location: 'Path of the record.' },
      },
    },
  },
  (c, { json: { hbc_b64 } }) => {
    // Checked by length, before a byte is decoded.
    if (hbc_b64.length > Math.ceil(artifactBytesMax / 3) * 4) throw tooLarge()
    const bytes = base64ToBytes(hbc_b64)
    if (bytes === null) throw invalidField('hbc_b64', 'must be base64 of the standard alphabet, with padding')
    if (bytes.length > artifactBytesMax) throw tooLarge()
    return storeModule(c, bytes, 'hbc_b64')
  },
)

const tooLarge = (): ApiError =>
  new ApiError('too_large', `The artifact is larger than ${artifactBytesMax} bytes.`)
