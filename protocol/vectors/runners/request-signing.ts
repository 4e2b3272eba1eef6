import {
  defaultNetworkParams,
  readRequestSignature,
  signRequest,
  verifyRequestSignature,
} from '../../identity/index.ts'
import type { Json } from '../format.ts'
import type { TopicRunner } from '../runner.ts'

/** The order of section 10, as the hub (`workers/middleware/authenticate.ts`) and the node keep it. */
export const runRequestSigning: TopicRunner = (input, { profile }) => {
  if (input.request === undefined) return signRequest(profile, input.seed, { ...input, target: input.path })
  const headers = new Map(
    Object.entries<string>(input.headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const { method, path, body } = input.request
  const header = (name: string) => headers.get(name.toLowerCase())
  const claimed = readRequestSignature(profile, header, input.now, defaultNetworkParams.max_skew)
  if (claimed === null) return { error: 'unauthorized' }
  if (!verifyRequestSignature(profile, { method, target: path, body }, claimed))
    return { error: 'bad_signature' }
  const seen = input.seen_nonces.some(
    (one: Json) => one.public_key === claimed.public_key && one.nonce === claimed.nonce,
  )
  return seen ? { error: 'unauthorized' } : { accepted: true, node_id: claimed.node_id }
}
