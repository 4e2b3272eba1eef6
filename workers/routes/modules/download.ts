import * as z from 'zod'
import { ApiError } from '../../errors.ts'
import { matchesEtag } from '../../http/etag.ts'
import { parseRange } from '../../http/range.ts'
import { defineRoute } from '../../route.ts'
import { findModule } from './known.ts'
import { ModuleParams } from './schema.ts'

export const downloadModule = defineRoute(
  {
    method: 'get',
    path: '/v1/modules/{address}/hbc',
    operationId: 'downloadModule',
    tag: 'Modules',
    summary: 'Download the artifact of a module',
    description: 'The uploaded bytes. A request can name one byte range with `Range`.',
    params: z.object(ModuleParams),
    cache: { maxAgeSeconds: 31_536_000, immutable: true },
    errors: ['not_found'],
    headers: {
      Range: 'One range of bytes, e.g. `bytes=0-1023`.',
      'If-Range':
        'The ETag of the artifact that the range belongs to. With another ETag the answer is the whole artifact.',
    },
    responses: {
      200: {
        description: 'The whole artifact.',
        contentType: 'application/octet-stream',
        headers: {
          'X-Manifest-Address': 'Address of the module.',
          'Accept-Ranges': 'Always `bytes`.',
          'Content-Length': 'Size of the artifact.',
        },
      },
      206: {
        description: 'The requested range.',
        contentType: 'application/octet-stream',
        headers: {
          'X-Manifest-Address': 'Address of the module.',
          'Content-Range': 'The position of the bytes in the artifact.',
          'Content-Length': 'Size of the range.',
          ETag: 'Names the whole artifact.',
        },
      },
      416: {
        description: 'The range starts after the end of the artifact (`invalid_field`).',
        code: 'invalid_field',
        headers: { 'Content-Range': 'The size of the artifact.' },
      },
    },
  },
  async (c, { params }) => {
    const { record: module, open } = await findModule(c, params.address)
    const etag = `"${module.manifestAddress}"`
    const headers = {
      'Content-Type': 'application/octet-stream',
      'X-Manifest-Address': module.manifestAddress,
      'Accept-Ranges': 'bytes',
      ETag: etag,
    }
    const asked = c.req.header('range')
    const ifRange = c.req.header('if-range')
    // A range selects transferred bytes, and HEAD transfers none.
    const honoured = c.req.method !== 'HEAD' && (ifRange === undefined || ifRange === etag)
    const range = honoured ? parseRange(asked, module.hbcSize) : null
    const known = matchesEtag(c.req.header('if-none-match'), etag)
    // Neither reads the bytes: the client has them, or asks for the headers only.
    const isRead = !known && c.req.method !== 'HEAD'

    if (range === 'unsatisfiable' && !known)
      throw new ApiError(
        'invalid_field',
        `The artifact has ${module.hbcSize} bytes; the range ${asked} begins past them.`,
        { status: 416, headers: { 'Content-Range': `bytes */${module.hbcSize}` } },
      )
    if (range === null || range === 'unsatisfiable' || !isRead) {
      const whole = { ...headers, 'Content-Length': String(module.hbcSize) }
      return { status: 200, headers: whole, body: isRead ? await open() : null }
    }
    return {
      status: 206,
      headers: {
        ...headers,
        'Content-Length': String(range.length),
        'Content-Range': `bytes ${range.offset}-${range.offset + range.length - 1}/${module.hbcSize}`,
      },
      body: await open(range),
    }
  },
)
