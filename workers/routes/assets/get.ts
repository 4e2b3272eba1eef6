import { ApiError } from '../../errors.ts'
import { matchesEtag } from '../../http/etag.ts'
import { imageTypes } from '../../images/image.ts'
import { defineRoute } from '../../route.ts'
import { AssetParams } from './schema.ts'

export const getAsset = defineRoute(
  {
    method: 'get',
    path: '/v1/assets/{sha256}',
    operationId: 'getAsset',
    tag: 'Projects',
    summary: 'Read an image',
    params: AssetParams,
    cache: { maxAgeSeconds: 31_536_000, immutable: true },
    errors: ['not_found'],
    responses: {
      200: {
        description: 'The image.',
        contentType: imageTypes,
        headers: { 'Content-Security-Policy': 'Forbids the image to run scripts or load anything.' },
      },
    },
  },
  async (c, { params: { sha256 } }) => {
    const { assets } = c.var.services
    const asset = await assets.find(sha256)
    if (asset === null) throw new ApiError('not_found', `There is no image ${sha256}.`)
    const headers = {
      'Content-Type': asset.contentType,
      'Content-Length': String(asset.bytes),
      'Content-Security-Policy': "default-src 'none'; sandbox",
      ETag: `"${sha256}"`,
    }
    // Neither reads the bytes: the client has them, or asks for the headers only.
    if (c.req.method === 'HEAD' || matchesEtag(c.req.header('if-none-match'), headers.ETag))
      return { status: 200, headers, body: null }
    return { status: 200, headers, body: await assets.open(asset) }
  },
)
