import { isBytes32 } from '../../../../protocol/encoding/index.ts'
import { artifactBytesMax } from '../../../../protocol/hbc/artifact.ts'
import type { ModuleLibrary } from '../execution/module-library.ts'
import { ApiError, invalidField } from '../http/api-error.ts'
import { json, type Route } from '../http/route.ts'

export const putModuleRoute = (library: ModuleLibrary): Route => ({
  method: 'PUT',
  path: '/modules/:address',
  access: 'bearer',
  body: { contentType: 'application/octet-stream', bytesMax: artifactBytesMax },
  handle: async ({ params, body }) => {
    const { address } = params
    if (!isBytes32(address)) throw invalidField('address', 'must be 0x and 64 hex digits in lower case')
    if (body.length === 0)
      throw new ApiError('bad_request', 'The body is missing; send the bytes of the artifact.')
    const added = await library.add(address, body)
    if (added.status === 'invalid')
      throw new ApiError('invalid_manifest', `This is not a valid artifact: ${added.message}`, {
        details: { problems: [{ path: 'body', code: added.rule, message: added.message }] },
      })
    if (added.status === 'other_address')
      throw new ApiError(
        'invalid_manifest',
        `The artifact has the address ${added.address}, not that of the path.`,
        { details: { reason: 'manifest_address', address: added.address } },
      )
    return json(added.status === 'stored' ? 201 : 200, { manifest_address: address, status: added.status })
  },
})
