import { deriveNodeId } from '../../../protocol/identity/index.ts'
import type { HubContext } from '../../context.ts'
import type { Answer } from '../../http/answer.ts'
import { matchesEtag } from '../../http/etag.ts'
import type { ReadSet } from '../../stores/committee-sets.ts'

const utf8 = new TextEncoder()

/** A set with its attestations. The snapshot comes as it is stored, and is never held whole. */
export async function attestedSnapshot(c: HubContext, set: ReadSet): Promise<Answer> {
  const { PROFILE: profile } = c.var.settings
  const attestations = set.attestations.map(({ publicKey, signature }) => ({
    node_id: deriveNodeId(profile, publicKey),
    public_key: publicKey,
    signature,
  }))
  const rest = JSON.stringify({ set_hash: set.setHash, attestations, valid: set.valid })
  const [start, end] = [utf8.encode('{"snapshot":'), utf8.encode(`,${rest.slice(1)}`)]
  // Attestations are only ever added.
  const etag = `"${set.setHash}-${attestations.length}-${set.valid}"`
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(start.length + set.bytes + end.length),
    ETag: etag,
  }
  const isHeld = c.req.method === 'GET' && matchesEtag(c.req.header('if-none-match'), etag)
  if (c.req.method === 'HEAD' || isHeld) return { status: 200, headers, body: null }
  const snapshot = await c.var.services.committeeSets.open(set.setHash)
  return { status: 200, headers, body: framed(start, snapshot, end) }
}

/** Bytes before and after those of a stream. */
const framed = (start: Uint8Array, stream: ReadableStream<Uint8Array>, end: Uint8Array): ReadableStream =>
  stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => controller.enqueue(start),
      flush: (controller) => controller.enqueue(end),
    }),
  )
