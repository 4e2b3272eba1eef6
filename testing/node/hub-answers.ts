import type { IncomingMessage } from 'node:http'
import { profileStrings, resolveProfile } from '../../protocol/identity/index.ts'
import { coordinatorSeed } from './generations.ts'
import { publicKeyOf } from './signers.ts'

const profile = resolveProfile()

export const unixNow = (): number => Math.floor(Date.now() / 1000)

/** The descriptor of a hub at `origin`, with changes. */
export const descriptorOf = (origin: string, change: object = {}) => ({
  network: profile.network,
  protocol: profileStrings(profile).descriptor_protocol,
  chain: { id: profile.chain_id },
  hosts: { api: origin },
  coordinator: null,
  versions: { nodectl_min: '1.0.0' },
  ...change,
})

/** The answer of a hub to a call that any node makes first; undefined for other calls. @param now Network time. */
export function usualAnswer(
  { url = '', headers }: IncomingMessage,
  role: string,
  now = unixNow(),
): object | undefined {
  const coordinator = { public_key: publicKeyOf(coordinatorSeed) }
  const answers: Readonly<Record<string, object>> = {
    '/': descriptorOf(`http://${headers.host}`, { coordinator }),
    '/v1/status': { time: now },
    '/v1/nodes/heartbeat': { status: 'approved', next_in_secs: 5 },
    '/v1/nodes/register': { node_id: 'node-1', role, status: 'approved', url: null },
  }
  return answers[url]
}
