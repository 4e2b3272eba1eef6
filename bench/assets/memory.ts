/**
 * Measures the memory workerd needs at its peak to check the largest images that are decoded, and the largest that are
 * checked without being decoded: `node scripts/nx.mjs node bench/assets/memory.ts`.
 */
import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { PhotonImage } from '@cf-wasm/photon/node'
import { crc32 } from '../../protocol/hbc/crc32.ts'
import { startTestHub } from '../../testing/hub.ts'
import { signIn } from '../../testing/session.ts'
import { ownWorkerds } from '../../testing/workerd.ts'
import { memory, peak } from '../process-memory.ts'

const uploads = 5

/** A PNG of one colour with transparency, whose pixels take as much memory as any. */
function png(side: number, depth: 8 | 16, profileBytes = 0): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([depth, 6], 8)
  const rows = deflateSync(Buffer.alloc(side * (1 + (side * depth * 4) / 8)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  // A comment of its own makes no image another, and none of the uploads the first one's.
  const comment = Buffer.concat([Buffer.from('tEXtid\0'), randomBytes(8)])
  const parts = [
    Buffer.concat([Buffer.from('IHDR'), header]),
    comment,
    ...(profileBytes > 0
      ? [Buffer.concat([Buffer.from('iCCPDisplay\0\0'), deflateSync(Buffer.alloc(profileBytes))])]
      : []),
    Buffer.concat([Buffer.from('IDAT'), rows]),
    Buffer.from('IEND'),
  ]
  return Buffer.concat([signature, ...parts.map(chunk)])
}

function chunk(named: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(named.length - 4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

function encoded(side: number, as: 'jpeg' | 'webp'): Uint8Array {
  const pixels = new Uint8Array(4 * side * side)
  for (let i = 0; i < pixels.length; i++) pixels[i] = i % 4 === 3 ? 255 : (i >> 8) & 0xff
  const image = new PhotonImage(pixels, side, side)
  const bytes = as === 'jpeg' ? image.get_bytes_jpeg(80) : image.get_bytes_webp()
  image.free()
  return bytes
}

async function measure(name: string, type: string, bytes: Uint8Array): Promise<void> {
  const hub = await startTestHub()
  try {
    const [pid] = ownWorkerds()
    if (pid === undefined) throw new Error('workerd was not found')
    const { post } = await signIn(new URL(hub.origin))
    const data_b64 = Buffer.from(bytes).toString('base64')
    // What does not suit is refused before the decoder is loaded, and warms up the rest.
    await post('/v1/developers/assets', { content_type: type, data_b64: 'AAAA' })
    const idle = memory(pid, 'VmRSS')
    const startedMs = performance.now()
    let status = 0
    const raised = await peak(pid, async () => {
      for (let i = 0; i < uploads; i++) {
        const response = await post('/v1/developers/assets', { content_type: type, data_b64 })
        status = response.status
        await response.arrayBuffer()
      }
    })
    const ms = (performance.now() - startedMs) / uploads
    console.log(
      `| ${name} | ${(bytes.length / 1024).toFixed(0)} KiB | ${status} | ${idle.toFixed(0)} MiB | ${raised} | ${ms.toFixed(0)} ms |`,
    )
  } finally {
    await hub.stop()
  }
}

console.log('| Image | Size | Last answer | Idle | Peak | Each |\n| --- | --- | --- | --- | --- | --- |')
await measure('PNG 2048×2048, 8 bits', 'image/png', png(2048, 8))
await measure('PNG 2048×2048, profile of 4 MiB', 'image/png', png(2048, 8, 4 * 1024 * 1024))
await measure('PNG 2048×2048, profile of 600 MB, refused', 'image/png', png(2048, 8, 600_000_000))
await measure('PNG 2048×2048, 16 bits', 'image/png', png(2048, 16))
await measure('JPEG 2048×2048', 'image/jpeg', encoded(2048, 'jpeg'))
await measure('WebP 2048×2048', 'image/webp', encoded(2048, 'webp'))
await measure('PNG 4096×4096, 16 bits, not decoded', 'image/png', png(4096, 16))
