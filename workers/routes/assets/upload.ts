import { unixNow } from '../../../durable-objects/clock.ts'
import { base64ToBytes, bytesToHex } from '../../../protocol/encoding/index.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { cleanImage } from '../../images/clean.ts'
import { type CleanImage, ImageError, type ImageType } from '../../images/image.ts'
import { walletOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { AssetInput, AssetView, assetExample, assetPath, bodyBytesMax, imageBytesMax } from './schema.ts'

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
      201: {
        description: 'Stored.',
        schema: AssetView,
        example: assetExample,
        headers: { Location: 'Path of the image.' },
      },
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
