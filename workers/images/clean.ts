import { imageDimensionsFromData } from 'image-dimensions'
import { type CleanImage, ImageError, type ImageType, requireSides } from './image.ts'
import { cleanJpeg } from './jpeg.ts'
import { cleanPng } from './png.ts'
import { cleanWebp } from './webp.ts'

/** Samples of one byte that are decoded at most: a decoder takes about 15 bytes for each pixel, and an isolate has 128 MB for everything. */
const decodedPixelsMax = 2048 * 2048

/**
 * Turns bytes into an image of the kind it is called, still, whole, within the limits, without a byte before, after or beside it, and without
 * metadata. The header is looked at first. Up to 2048×2048 pixels, half as many with samples of two bytes, it is decoded; above that its
 * structure is checked. @throws {@link ImageError} with the rest of a sentence that begins with the name of the field.
 */
export async function cleanImage(bytes: Uint8Array, type: ImageType): Promise<CleanImage> {
  const header = imageDimensionsFromData(bytes)
  if (header === undefined || `image/${header.type}` !== type)
    throw new ImageError(`is not of the type ${type}`)
  requireSides(header.width, header.height)
  const clean = await cleaners[type](bytes)
  if (clean.width !== header.width || clean.height !== header.height)
    throw new ImageError('declares two different sizes')
  if (clean.width * clean.height * clean.sampleBytes <= decodedPixelsMax) await decode(clean)
  return clean
}

const cleaners: Record<ImageType, (bytes: Uint8Array) => CleanImage | Promise<CleanImage>> = {
  'image/png': cleanPng,
  'image/jpeg': cleanJpeg,
  'image/webp': cleanWebp,
}

async function decode({ bytes, width, height }: CleanImage): Promise<void> {
  // Loaded with the first image: most isolates never see one.
  const { PhotonImage } = await import('@cf-wasm/photon/workerd')
  let image: InstanceType<typeof PhotonImage>
  try {
    image = PhotonImage.new_from_byteslice(bytes)
  } catch {
    throw new ImageError('has pixels that cannot be read')
  }
  const fits = image.get_width() === width && image.get_height() === height
  image.free()
  if (!fits) throw new ImageError('declares two different sizes')
}
