import { nodeSigner } from '../../node-signer.ts'
import { requestSigner } from '../hub/request-signer.ts'
import type { Uses } from '../part.ts'
import { type PeerClient, peerClient } from './peer-client.ts'

export type PeersParts = Uses<'clock' | 'generations' | 'identity' | 'profile' | 'seed', 'senders'>

export type Peers = ReturnType<typeof peersOf>

/** The validators of the network as this node sees them. @param stop ends calls under way. */
export function peersOf(
  { profile, seed, clock, identity, store, generations }: PeersParts,
  stop?: AbortSignal,
) {
  const sign = requestSigner(profile, nodeSigner(seed), clock)
  return {
    /** Public keys of the generation in force, this node's too when it is one. */
    validators: (): readonly string[] => generations.at(clock.now())?.keys ?? [],
    /** Whether this node is one of the generation in force, or of one to come. */
    isValidator: () => generations.coming(clock.now()).some(({ keys }) => keys.includes(identity.publicKey)),
    /** The other validators that may be called. @param keys Those alone that have one of these. */
    others: (keys?: readonly string[]): readonly PeerClient[] =>
      store.senders.all().flatMap(({ publicKey, role, url }) => {
        const isOther = role === 'validator' && publicKey !== identity.publicKey && url !== null
        return isOther && (keys?.includes(publicKey) ?? true)
          ? [peerClient({ publicKey, url }, sign, stop)]
          : []
      }),
    sign,
  }
}
