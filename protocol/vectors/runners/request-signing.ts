import { checkRequest, defaultNetworkParams, signRequest } from '../../identity/index.ts'
import type { Json } from '../format.ts'
import type { TopicRunner } from '../runner.ts'

export const runRequestSigning: TopicRunner = (input, { profile }) => {
  if (input.request === undefined) return signRequest(profile, input.seed, { ...input, target: input.path })
  const headers = new Map(
    Object.entries<string>(input.headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const { method, path, body } = input.request
  const check = checkRequest(
    profile,
    { method, target: path, body, header: (name) => headers.get(name.toLowerCase()) },
    input.now,
    defaultNetworkParams.max_skew,
  )
  if (!check.ok) return { error: check.code }
  const seen = input.seen_nonces.some(
    (one: Json) => one.public_key === check.public_key && one.nonce === check.nonce,
  )
  return seen ? { error: 'unauthorized' } : { accepted: true, node_id: check.node_id }
}
