import * as z from 'zod'
import { example } from '../../examples.ts'
import { imageTypes } from '../../images/image.ts'

/** Of the image itself; base64 makes a third more of it. */
export const imageBytesMax = 2 * 1024 * 1024
export const bodyBytesMax = 3 * 1024 * 1024

export const AssetInput = z
  .strictObject({
    content_type: z.enum(imageTypes),
    data_b64: z
      .string()
      .meta({ description: 'The image in base64; at most 2 MiB decoded.', contentEncoding: 'base64' }),
  })
  .meta({ id: 'AssetInput' })

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

export const AssetView = z
  .strictObject({
    sha256: Sha256.meta({ description: 'Hash of the served bytes, without metadata.' }),
    url: z.url(),
  })
  .meta({ id: 'Asset' })

export const assetExample = {
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  url: `${example.hub}/v1/assets/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`,
}

export const AssetParams = z.object({
  sha256: z
    .string()
    .toLowerCase()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits')
    .meta({ example: assetExample.sha256 }),
})

export const assetPath = (sha256: string): string => `/v1/assets/${sha256}`
