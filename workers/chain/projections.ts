import { listingStatuses } from '../../protocol/manifest/index.ts'
import type { ChainEvent } from './events.ts'

/** The state of one subject by the chain's events; amounts in decimal, times in Unix seconds. */
export type ChainState = Record<string, unknown>

export interface Subject {
  kind: 'project' | 'version' | 'vault' | 'subscription' | 'slash' | 'epoch' | 'claim' | 'posting'
  id: string
}

export function subjectsOf({ name, args, contract }: ChainEvent): Subject[] {
  const { epoch = '', miner = '', vault = '' } = args
  const project: Subject = { kind: 'project', id: args.projectId ?? '' }
  const subscription: Subject = { kind: 'subscription', id: args.subscriptionId ?? '' }
  const slash: Subject = { kind: 'slash', id: args.evidenceHash ?? '' }
  const emitting: Subject = { kind: 'vault', id: contract }
  const ofVault: Subject = { kind: 'epoch', id: `${contract}:${epoch}` }
  switch (name) {
    case 'ProjectRegistered':
    case 'VersionPublished':
      return [project, { kind: 'version', id: `${project.id}:${args.version ?? 1}` }]
    case 'ListingStatusSet':
      return [project]
    case 'SlashProposed':
    case 'SlashExecuted':
      return [slash, subscription]
    case 'SlashDisputed':
    case 'SlashUpheld':
    case 'SlashCancelled':
    case 'SlashVoided':
      return [slash]
    case 'EpochReopened':
      return [ofVault]
    case 'EpochPosted':
    case 'EpochVetoed':
    case 'FeesPaid':
      return [ofVault, emitting]
    case 'Claimed':
      return [{ kind: 'claim', id: `${contract}:${epoch}:${miner}` }, emitting]
    case 'VaultFunded':
    case 'WithdrawalRequested':
    case 'FundsWithdrawn':
    case 'TermsSet':
      return [emitting]
    case 'VaultCreated':
      return [{ kind: 'vault', id: vault }]
    case 'Paused':
    case 'Unpaused':
      return [{ kind: 'posting', id: contract }]
    default:
      return [subscription]
  }
}

/** The state after one more event. Pure: a state is what its events in chain order make of it, whatever was taken back. */
export const applyEvent = (
  kind: Subject['kind'],
  state: ChainState | null,
  event: ChainEvent,
): ChainState => ({ ...state, ...project[kind](state ?? {}, event) })

/** The wallet a state belongs to, for lists by owner. */
export function ownerOf(kind: Subject['kind'], state: ChainState): string | null {
  const owner = kind === 'project' ? state.developer : kind === 'claim' ? state.miner : state.owner
  return typeof owner === 'string' ? owner : null
}

/** How long a vault's epochs are and what each may cost, for epochs that begin at `from` or later. */
export interface VaultTerms {
  from: number
  epoch_secs: number
  epoch_cap: string
}

/** The terms that hold in a vault at a time; null for a vault of which nothing is known. */
export function vaultTerms({ terms, next_terms: next }: ChainState, time: number): VaultTerms | null {
  const announced = next as VaultTerms | null | undefined
  return (announced && time >= announced.from ? announced : (terms as VaultTerms | undefined)) ?? null
}

/** How long a pause by an arbiter lasts at most, as the contracts have it. */
const pauseSecs = 3 * 86_400

/** Funds that no posted epoch has a claim on. They include an announced withdrawal, because work that was done is paid first. */
export function unreservedFunds(vault: ChainState): bigint {
  const amount = (member: string) => BigInt(String(vault[member] ?? '0'))
  const free = amount('funded') - amount('withdrawn') - amount('total_paid') - amount('reserved')
  return free > 0n ? free : 0n
}

const termsOf = (args: ChainEvent['args'], from: number): VaultTerms => ({
  from,
  epoch_secs: Number(args.epochSecs),
  epoch_cap: args.epochCap ?? '0',
})

const versionOf = (args: ChainEvent['args'], time: number, txHash: string) => ({
  version: Number(args.version ?? 1),
  consensus_hash: args.consensusHash,
  manifest_hash: args.manifestHash,
  published_at: time,
  published_tx: txHash,
})

const feesOf = ({ developer, treasury }: ChainEvent['args']): string => add(developer, treasury)

const add = (sum: unknown, amount: string | undefined, sign = 1n): string =>
  String(BigInt(String(sum ?? '0')) + sign * BigInt(amount ?? '0'))

const project: Record<Subject['kind'], (state: ChainState, event: ChainEvent) => ChainState> = {
  project(state, { name, args, blockTime, txHash }) {
    switch (name) {
      case 'ProjectRegistered':
        return {
          developer: args.developer,
          slug: args.slug,
          worker: args.worker,
          version: 1,
          consensus_hash: args.consensusHash,
          manifest_hash: args.manifestHash,
          registered_at: blockTime,
          registered_tx: txHash,
        }
      case 'VersionPublished':
        return versionOf(args, blockTime, txHash)
      case 'ListingStatusSet':
        return { listing_status: listingStatuses[Number(args.status)] }
      default:
        return state
    }
  },

  version(_, { args, blockTime, txHash }) {
    return { project_id: args.projectId, ...versionOf(args, blockTime, txHash) }
  },

  vault(state, { name, args, blockTime }) {
    const epoch = args.epoch ?? ''
    // The event of a veto lacks the amount that it gives back. An epoch that has paid something cannot be vetoed any more.
    const { [epoch]: unpaid, ...vetoable } = (state.vetoable ?? {}) as Record<string, string>
    const pay = (amount: string) => ({
      total_paid: add(state.total_paid, amount),
      reserved: add(state.reserved, amount, -1n),
      vetoable,
    })
    switch (name) {
      case 'VaultCreated':
        return {
          project_id: args.projectId,
          developer: args.developer,
          token: args.token,
          created_at: blockTime,
          ...{ funded: '0', withdrawn: '0', total_paid: '0', reserved: '0' },
          vetoable: {},
          withdrawal: null,
          terms: termsOf(args, blockTime),
          next_terms: null,
        }
      case 'TermsSet':
        return { terms: vaultTerms(state, blockTime), next_terms: termsOf(args, Number(args.from)) }
      case 'VaultFunded':
        return { funded: add(state.funded, args.amount) }
      case 'EpochPosted': {
        const total = add(feesOf(args), args.miner)
        return { reserved: add(state.reserved, total), vetoable: { ...vetoable, [epoch]: total } }
      }
      case 'EpochVetoed':
        return { reserved: add(state.reserved, unpaid, -1n), vetoable }
      case 'Claimed':
        return pay(args.amount ?? '0')
      case 'FeesPaid':
        return pay(feesOf(args))
      case 'WithdrawalRequested': {
        const [available_at, expires_at] = [Number(args.availableAt), Number(args.expiresAt)]
        return { withdrawal: { amount: args.amount, available_at, expires_at } }
      }
      case 'FundsWithdrawn':
        return { withdrawn: add(state.withdrawn, args.amount), withdrawal: null }
      default:
        return state
    }
  },

  subscription(state, { name, args, blockTime }) {
    switch (name) {
      case 'Bonded': {
        const reopened = state.status === undefined || state.status === 'closed'
        return {
          owner: args.owner,
          project_id: args.projectId,
          node_key: args.nodeKey,
          status: 'bonded',
          collateral: args.collateral,
          ...(reopened && {
            payout: args.owner,
            started_at: blockTime,
            release_at: null,
            slashed_total: '0',
            slash_lows: [],
          }),
        }
      }
      case 'Unbonding':
        return { status: 'unbonding', release_at: Number(args.releaseAt) }
      case 'Withdrawn':
        return {
          status: 'closed',
          collateral: '0',
          closed_at: blockTime,
          closings: Number(state.closings ?? 0) + 1,
        }
      case 'PayoutSet':
        return { payout: args.payout, payout_at: blockTime }
      case 'SlashExecuted': {
        const collateral = add(state.collateral, args.amount, -1n)
        return {
          collateral,
          slashed_total: add(state.slashed_total, args.amount),
          slash_lows: withLow(state.slash_lows as SlashLow[] | undefined, blockTime, collateral),
        }
      }
      default:
        return state
    }
  },

  slash(state, { name, args, blockTime, txHash }) {
    switch (name) {
      case 'SlashProposed':
        return {
          subscription_id: args.subscriptionId,
          amount: args.amount,
          executable_at: Number(args.executableAt),
          propose_tx: txHash,
          status: 'proposed',
        }
      case 'SlashDisputed':
        return { status: 'disputed', disputed_at: blockTime }
      case 'SlashUpheld':
        return { status: 'proposed', outcome: 'upheld', resolved_at: blockTime }
      case 'SlashCancelled':
        return { status: 'cancelled', outcome: 'cancelled', resolved_at: blockTime }
      case 'SlashVoided':
        return { status: 'cancelled', voided_at: blockTime }
      case 'SlashExecuted':
        return { status: 'executed', taken: args.amount, execute_tx: txHash }
      default:
        return state
    }
  },

  epoch(state, { name, contract, args, blockTime, txHash }) {
    switch (name) {
      case 'EpochPosted':
        return {
          vault: contract,
          epoch: Number(args.epoch),
          merkle_root: args.merkleRoot,
          receipt_hash: args.receiptHash,
          miner: args.miner,
          developer: args.developer,
          treasury: args.treasury,
          total: add(feesOf(args), args.miner),
          fees: feesOf(args),
          release_at: Number(args.releaseAt),
          posted_at: blockTime,
          posted_tx: txHash,
          ...{ vetoed: false, reopened: false, fees_paid: false },
        }
      case 'EpochVetoed':
        return { vetoed: true }
      case 'EpochReopened':
        return { reopened: true }
      case 'FeesPaid': {
        // The token may refuse one of the two, which is then paid later.
        const fees = add(state.fees, feesOf(args), -1n)
        return { fees, fees_paid: fees === '0' }
      }
      default:
        return state
    }
  },

  posting({ paused_until: until = 0 }, { name, blockTime }) {
    // A pause that is taken up again within its time lasts until its original end.
    const isNew = name === 'Paused' && blockTime >= Number(until)
    return { paused: name === 'Paused', paused_until: isNew ? blockTime + pauseSecs : until }
  },

  claim(_, { contract, args, blockTime, txHash }) {
    return {
      vault: contract,
      epoch: Number(args.epoch),
      miner: args.miner,
      amount: args.amount,
      claimed_at: blockTime,
      claimed_tx: txHash,
    }
  },
}

export interface SlashLow {
  at: number
  left: string
}

/** The slashes that no later one undercut, oldest first: they say for any minimum which slash left less last, and stay few. */
const withLow = (lows: readonly SlashLow[] = [], at: number, left: string): SlashLow[] => [
  ...lows.filter((low) => BigInt(low.left) < BigInt(left)),
  { at, left },
]
