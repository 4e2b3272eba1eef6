import { nodeSigner } from '../../node-signer.ts'
import type { Clock } from '../clock.ts'
import type { Generations } from '../generations/generations.ts'
import { type RequestSigner, requestSigner } from '../hub/request-signer.ts'
import type { NodeKey } from '../node-key.ts'
import type { ServeStore } from '../store/index.ts'
import type { Sender } from '../store/senders.ts'
import { type PeerClient, peerClient } from './peer-client.ts'

/** The validators of the network as this node sees them. */
export interface Peers {
  /** Public keys of the generation in force, this node's too when it is one. */
  readonly validators: () => readonly string[]
  /** Whether this node is one of the generation in force, or of one to come. */
  readonly isValidator: () => boolean
  /** Those of some keys that may be called, without this node. */
  readonly others: (keys: readonly string[]) => readonly PeerClient[]
  /** Signs requests with the key of this node. */
  readonly sign: RequestSigner
}

export interface PeersParts extends NodeKey {
  readonly clock: Clock
  readonly store: Pick<ServeStore, 'senders'>
  readonly generations: Generations
}

/** @param stop ends calls under way. */
export function peersOf(
  { profile, seed, clock, identity, store, generations }: PeersParts,
  stop?: AbortSignal,
): Peers {
  const sign = requestSigner(profile, nodeSigner(seed), clock)
  return {
    validators: () => generations.at(clock.now())?.keys ?? [],
    isValidator: () => generations.coming(clock.now()).some(({ keys }) => keys.includes(identity.publicKey)),
    others: (wanted) =>
      store.senders
        .all()
        .filter(
          ({ role, publicKey }) =>
            role === 'validator' && publicKey !== identity.publicKey && wanted.includes(publicKey),
        )
        .filter((sender): sender is Sender & { url: string } => sender.url !== null)
        .map((sender) => peerClient(sender, sign, stop)),
    sign,
  }
}
