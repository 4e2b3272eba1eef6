import { defaultNetworkParams, type NetworkParams } from './network-params.ts'

/** What a network may rely on that a chain does, and the parameters that follow from it. */
export interface ChainProfile {
  readonly name: string
  readonly chainId: number
  /** How old the last final block of a chain that is well may be, and how deep. Null where nobody mines against the network. */
  readonly finality: { readonly secs: number; readonly blocks: number } | null
  /** Blocks after which no reorganisation of a chain that is well takes a transaction back. */
  readonly confirmationsMin: number
  readonly params: Partial<NetworkParams>
}

const epochSecs = 32 * 12
/** Finality is two epochs of the chain behind, so its last block is up to three old; nodes have it some slots later. */
const ofBeaconChain = {
  finality: { secs: 3 * epochSecs + 108, blocks: 3 * 32 },
  confirmationsMin: 12,
  params: { beacon_offset_secs: 1_560 },
}

export const chainProfiles: readonly ChainProfile[] = [
  { name: 'local', chainId: 31_337, finality: null, confirmationsMin: 1, params: {} },
  { name: 'sepolia', chainId: 11_155_111, ...ofBeaconChain },
  { name: 'ethereum', chainId: 1, ...ofBeaconChain },
]

/** Undefined for a chain that nobody has described: its operator answers for every value. */
export const chainProfileOf = (chainId: number): ChainProfile | undefined =>
  chainProfiles.find((profile) => profile.chainId === chainId)

/** The parameters of a network on a chain. Hub and nodes derive the same from the chain id. */
export const networkParamsOf = (chainId: number): NetworkParams => ({
  ...defaultNetworkParams,
  ...chainProfileOf(chainId)?.params,
})

/** Which parameters are too small for the chain. Every problem names its parameter and the fix. */
export function chainTimeProblems(params: NetworkParams, chainId: number): string[] {
  const profile = chainProfileOf(chainId)
  if (!profile?.finality) return []
  const least = profile.finality.secs + params.snapshot_lead_secs
  if (params.beacon_offset_secs >= least) return []
  return [
    `beacon_offset_secs is ${params.beacon_offset_secs}, and must be at least ${least} on ${profile.name}: ${profile.finality.secs} s until a block is final, and snapshot_lead_secs. Otherwise committee sets are due before their beacon block is final. Raise it in protocol/identity/chain-profiles.ts.`,
  ]
}
