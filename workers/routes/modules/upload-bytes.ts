import * as z from 'zod'
import { artifactBytesMax } from '../../../protocol/hbc/artifact.ts'
import { defineRoute, reply } from '../../route.ts'
import { ModuleParams, ModuleView, moduleExample } from './schema.ts'
import { storeModule } from './store.ts'

export const uploadModuleBytes = defineRoute(
  {
    method: 'put',
    path: '/v1/modules/{address}/hbc',
    operationId: 'uploadModuleBytes',
    tag: 'Modules',
    summary: 'Upload a module as bytes',
    description: 'The same checks as for base64. The computed address must equal the address in the path.',
    auth: { session: true, apiKey: 'modules:write' },
    stores: 'files',
    budget: 'module_upload',
    params: z.object(ModuleParams),
    raw: {
      contentType: 'application/octet-stream',
      bytesMax: artifactBytesMax,
      description: 'The bytes of the `.hbc` file.',
    },
    errors: ['already_exists', 'invalid_manifest', 'too_large'],
    responses: reply(201, 'The record of the stored module.', ModuleView, moduleExample, {
      Location: 'Path of the record.',
    }),
  },
  (c, { params, raw }) => storeModule(c, raw, 'body', params.address),
)
