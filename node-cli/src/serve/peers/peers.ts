import { nodeSigner } from '../../node-signer.ts'
import { type RequestSigner, requestSigner } from '../hub/request-signer.ts'
import type { ServeNode } from '../node.ts'
import type { Sender } from '../store/senders.ts'
import { type PeerClient, peerClient } from './peer-client.ts'

/** The validators of the network as this node sees them. */
export interface Peers {
  /** Public keys of all, this node's too when it is one. */
  readonly validators: () => readonly string[]
  readonly isValidator: () => boolean
  /** Every validator but this node that may be called. */
  readonly others: () => readonly PeerClient[]
  /** Signs requests with the key of this node. */
  readonly sign: RequestSigner
}

/** @param stop ends calls under way. */
export function peersOf({ profile, seed, clock, identity, store }: ServeNode, stop?: AbortSignal): Peers {
  const sign = requestSigner(profile, nodeSigner(seed), clock)
  return {
    validators: store.senders.validators,
    isValidator: () => store.senders.roleOf(identity.publicKey) === 'validator',
    others: () =>
      store.senders
        .all()
        .filter(({ role, publicKey }) => role === 'validator' && publicKey !== identity.publicKey)
        .filter((sender): sender is Sender & { url: string } => sender.url !== null)
        .map((sender) => peerClient(sender, sign, stop)),
    sign,
  }
}
