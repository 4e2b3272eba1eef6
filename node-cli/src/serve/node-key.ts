import type { Profile } from '../../../protocol/identity/index.ts'

export interface NodeIdentity {
  readonly nodeId: string
  readonly publicKey: string
}

/** Signs as this node, in the names of its network. */
export interface NodeKey {
  readonly profile: Profile
  readonly identity: NodeIdentity
  /** The ed25519 seed of the node, `0x` and 64 hex digits. It signs, and never leaves the process. */
  readonly seed: string
}
