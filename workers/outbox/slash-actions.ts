import { encodeFunctionData, type Hex } from 'viem'
import { stakingFunctions } from '../../contracts/generated/functions.ts'
import type { HubActionRules } from './hub-action-rules.ts'

type StakingCall = `${'dispute' | 'execute' | 'void' | 'cancel' | 'uphold'}Slash` | 'endDispute'

/** A call that names nothing but the slash. It is done as well where the chain has gone on without it. */
const slashCall = (
  signer: HubActionRules['signer'],
  functionName: StakingCall,
  isThere: HubActionRules['isThere'],
): HubActionRules => ({
  signer,
  stateKind: 'slash',
  isThere,
  call: ({ staking }, evidenceHash) => ({
    to: staking,
    data: encodeFunctionData({ abi: stakingFunctions, functionName, args: [evidenceHash as Hex] }),
  }),
})

const isOver = ({ status }: { status?: unknown }): boolean => status === 'cancelled' || status === 'executed'

/** Wanted: `subscription_id`, `offence_id`, `amount`, `dispute_window_secs`. */
export const proposeSlashRules: HubActionRules = {
  signer: 'relayer',
  stateKind: 'slash',
  isThere: () => true,
  call: ({ staking }, evidenceHash, { subscription_id, offence_id, amount, dispute_window_secs }) => ({
    to: staking,
    data: encodeFunctionData({
      abi: stakingFunctions,
      functionName: 'proposeSlash',
      args: [
        subscription_id as Hex,
        offence_id as Hex,
        evidenceHash as Hex,
        BigInt(amount ?? 0),
        BigInt(dispute_window_secs ?? 0),
      ],
    }),
  }),
}

/** Passes an owner's dispute on, as a proposer may. */
export const disputeSlashRules = slashCall(
  'relayer',
  'disputeSlash',
  ({ status, outcome }) => status !== 'proposed' || outcome !== undefined,
)

/** Anyone may execute, and end what others left open. */
export const executeSlashRules = slashCall('relayer', 'executeSlash', isOver)
export const endDisputeRules = slashCall('relayer', 'endDispute', ({ status }) => status !== 'disputed')

export const voidSlashRules = slashCall('relayer', 'voidSlash', isOver)

export const cancelSlashRules = slashCall('arbiter', 'cancelSlash', isOver)
export const upholdSlashRules = slashCall(
  'arbiter',
  'upholdSlash',
  (state) => state.outcome !== undefined || isOver(state),
)
