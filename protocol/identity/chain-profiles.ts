import { defaultNetworkParams, type NetworkParams, type ParamsChange } from './network-params.ts'

/** Properties of a chain that a network may rely on, and the settings and parameters that follow from them. */
export interface ChainProfile {
  readonly name: string
  readonly chainId: number
  /** From one block to the next while no slot is missed. */
  readonly blockSecs: number
  /** How old the last final block of a chain that is well may be, and how deep. Null if nobody mines against the network. */
  readonly finality: { readonly secs: number; readonly blocks: number } | null
  /** Blocks after which no reorganisation of a chain that is well takes a transaction back. */
  readonly confirmationsMin: number
  /** Blocks whose logs every usual provider gives in one answer. */
  readonly logBlocks: number
  /** Most that a transaction of the hub pays per gas. */
  readonly feeCapGwei: number
  readonly params: Partial<NetworkParams>
  /** Later changes of parameters, in the order of time. A version with a new one is out well before it takes effect. */
  readonly changes: readonly ParamsChange[]
}

/** Finality is two epochs of the chain behind, so its last block is up to three old; nodes have it some slots later. */
const ofBeaconChain = {
  blockSecs: 12,
  finality: { secs: 1_260, blocks: 96 },
  confirmationsMin: 12,
  logBlocks: 500,
  feeCapGwei: 100,
  params: { beacon_offset_secs: 1_560 },
  changes: [],
}

export const chainProfiles: readonly ChainProfile[] = [
  { name: 'sepolia', chainId: 11_155_111, ...ofBeaconChain },
  { name: 'ethereum', chainId: 1, ...ofBeaconChain },
  {
    ...ofBeaconChain,
    name: 'base-sepolia',
    chainId: 84_532,
    blockSecs: 2,
    // Final once the block of Ethereum that has its batch is, and a batch may be ten minutes late.
    finality: { secs: 1_860, blocks: 930 },
    confirmationsMin: 30,
    params: { beacon_offset_secs: 2_220 },
  },
  {
    ...ofBeaconChain,
    name: 'local',
    chainId: 31_337,
    blockSecs: 0.5,
    finality: null,
    confirmationsMin: 1,
    logBlocks: 2_000,
    params: {},
    changes: [],
  },
]

/** Undefined for a chain that nobody has described: its operator answers for every value. */
export const chainProfileOf = (chainId: number): ChainProfile | undefined =>
  chainProfiles.find((profile) => profile.chainId === chainId)

/** The settings of a hub on a chain, by their names; others keep their defaults. */
export const chainSettingsOf = (chain: ChainProfile) => ({
  CHAIN_BLOCK_SECS: String(chain.blockSecs),
  CHAIN_CONFIRMATIONS: String(chain.confirmationsMin),
  // If nobody mines against the chain, every block is final at once; other chains report their final block.
  ...(chain.finality === null && { CHAIN_FINALITY_BLOCKS: '0' }),
  RELAYER_FEE_CAP_GWEI: String(chain.feeCapGwei),
})

/** Blocks whose logs are asked for at once, of a chain that may not be described. */
export const logBlocksOf = (chainId: number): number => chainProfileOf(chainId)?.logBlocks ?? 500

/** The parameters that a network on a chain began with. Hub and nodes derive the same from the chain id. */
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
