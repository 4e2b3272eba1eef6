import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import { base64ToBytes, bytesToHex } from '../../../protocol/encoding/index.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { matchesEtag } from '../../http/etag.ts'
import { cleanImage } from '../../images/clean.ts'
import { type CleanImage, ImageError, type ImageType, imageTypes } from '../../images/image.ts'
import { walletOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok, reply } from '../../route.ts'

/** The largest image; base64 makes it a third longer. */
const imageBytesMax = 2 * 1024 * 1024
const bodyBytesMax = 3 * 1024 * 1024

const AssetInput = z
  .strictObject({
    content_type: z.enum(imageTypes),
    data_b64: z
      .string()
      .meta({ description: 'The image in base64; at most 2 MiB decoded.', contentEncoding: 'base64' }),
  })
  .meta({ id: 'AssetInput' })

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const AssetView = z
  .strictObject({
    sha256: Sha256.describe('Hash of the served bytes, without metadata.'),
    url: z.url(),
  })
  .meta({ id: 'Asset' })

const assetExample = {
  sha256: '9f'.repeat(32),
  url: `${example.hub}/v1/assets/${'9f'.repeat(32)}`,
}

const AssetParams = z.object({
  sha256: z
    .string()
    .toLowerCase()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits')
    .meta({ example: assetExample.sha256 }),
})

const assetPath = (sha256: string): string => `/v1/assets/${sha256}`

export const uploadAsset = defineRoute(
  {
    method: 'post',
    path: '/v1/developers/assets',
    operationId: 'uploadAsset',
    tag: 'Projects',
    summary: 'Store an image for listings',
    description:
      'A still PNG, JPEG or WebP image of at most 2 MiB and 4096×4096 pixels, complete and without extra bytes. The hub removes metadata; colour profile and orientation stay.',
    auth: { session: true, apiKey: 'projects:write' },
    stores: 'files',
    budget: 'asset_upload',
    idempotent: true,
    json: {
      schema: AssetInput,
      example: {
        content_type: 'image/png',
        data_b64:
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
      },
      bytesMax: bodyBytesMax,
    },
    responses: {
      ...reply(201, 'Stored.', AssetView, assetExample, { Location: 'Path of the image.' }),
      ...ok('The same image was stored before.', AssetView, assetExample),
    },
  },
  async (c, { json: { content_type: contentType, data_b64 } }) => {
    const bytes = base64ToBytes(data_b64)
    if (bytes === null) throw invalidField('data_b64', 'must be base64')
    if (bytes.length > imageBytesMax)
      throw new ApiError('too_large', `The image is larger than ${imageBytesMax} bytes.`)
    const image = await requireImage(bytes, contentType)

    const digest = await crypto.subtle.digest('SHA-256', image.bytes as BufferSource)
    const sha256 = bytesToHex(new Uint8Array(digest)).slice(2)
    const asset = {
      sha256,
      contentType,
      bytes: image.bytes.length,
      width: image.width,
      height: image.height,
      uploader: walletOf(c),
      createdAt: unixNow(),
    }
    const outcome = await c.var.services.assets.put(asset, image.bytes)
    const view = { sha256, url: `${c.var.settings.BASE_URL.origin}${assetPath(sha256)}` }
    return outcome === 'created' ? json(view, 201, { Location: assetPath(sha256) }) : json(view)
  },
)

async function requireImage(bytes: Uint8Array, type: ImageType): Promise<CleanImage> {
  try {
    return await cleanImage(bytes, type)
  } catch (error) {
    if (error instanceof ImageError) throw invalidField('data_b64', error.message)
    throw error
  }
}

export const getAsset = defineRoute(
  {
    method: 'get',
    path: '/v1/assets/{sha256}',
    operationId: 'getAsset',
    tag: 'Projects',
    summary: 'Read an image',
    description: 'The bytes of an address never change, so they may be cached for ever.',
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
