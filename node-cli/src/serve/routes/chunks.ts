import { isBytes32 } from '../../../../protocol/encoding/index.ts'
import type { BackgroundThread } from '../background/background-thread.ts'
import type { ChunkStore } from '../chunks/chunk-store.ts'
import { ApiError, invalidField } from '../http/api-error.ts'
import { json, type Route } from '../http/route.ts'

const chunkBytesMax = 1024 * 1024
const binary = 'application/octet-stream'

export const chunkRoutes = (background: BackgroundThread, chunks: ChunkStore): readonly Route[] => [
  {
    method: 'PUT',
    path: '/chunks/:hash',
    access: 'bearer',
    body: { contentType: binary, bytesMax: chunkBytesMax },
    handle: async ({ params: { hash }, body }) => {
      if (!isBytes32(hash)) throw invalidField('hash', 'must be 0x and 64 hex digits in lower case')
      const actual = await background.run('hashPayload', body)
      if (actual !== hash) throw invalidField('hash', `is not the keccak256 of the body, which is ${actual}`)
      const added = await chunks.add(hash, body)
      if (added === 'over_quota')
        throw new ApiError('too_large', 'The node has no room for this chunk; its operator set a quota.', {
          details: { reason: 'quota' },
        })
      return json(added === 'stored' ? 201 : 200, { hash, bytes: body.length, status: added })
    },
  },
  {
    method: 'GET',
    path: '/chunks/:hash',
    access: 'open',
    handle: ({ params: { hash = '' } }) => {
      const chunk = isBytes32(hash) ? chunks.find(hash) : null
      if (chunk === null) throw new ApiError('not_found', 'This node has no such chunk.')
      return {
        status: 200,
        contentType: binary,
        length: chunk.bytes,
        body: chunk.read(),
        // The content of a hash never changes.
        headers: { 'Cache-Control': 'public, max-age=31536000, immutable' },
      }
    },
  },
]
