import { defaultProfile as profile } from '../../node-cli/src/profile.ts'
import type { ServeStore } from '../../node-cli/src/serve/store/index.ts'
import { hashSnapshot, type Snapshot } from '../../protocol/committees/index.ts'
import type { MinerUnits } from '../../protocol/earnings/index.ts'
import { encodeCanonicalJson, hashText, utf8 } from '../../protocol/encoding/index.ts'
import { defaultNetworkParams, hashNetworkParams } from '../../protocol/identity/index.ts'
import { hashProjectRules, type ProjectRules } from '../../protocol/manifest/index.ts'
import { createFinalityVote, type FinalityRecord, hashFinality } from '../../protocol/rounds/index.ts'
import vectors from '../../protocol/vectors/receipt-v2.json' with { type: 'json' }
import { signerOf } from './signers.ts'

/** An epoch whose receipt is known. */
export interface KnownEpoch {
  readonly projectId: string
  readonly epoch: number
  readonly consensus: ProjectRules
  readonly units: readonly MinerUnits[]
  /** Null if there is nothing to pay. */
  readonly receiptHash: string | null
}

interface KnownCase {
  readonly name: string
  readonly input: {
    readonly project_id: string
    readonly epoch: number
    readonly consensus?: ProjectRules
    readonly units: readonly MinerUnits[]
  }
  readonly output: { readonly receipt_hash?: string }
}

/** The epochs of the known answers, by the name of their case. */
export function knownEpoch(name: string): KnownEpoch {
  const { input, output } = (vectors.cases as unknown as KnownCase[]).find((one) => one.name === name)!
  return {
    projectId: input.project_id,
    epoch: input.epoch,
    consensus: input.consensus ?? (vectors.common.consensus as ProjectRules),
    units: input.units,
    receiptHash: output.receipt_hash ?? null,
  }
}

const setOf = ({ projectId, epoch, consensus }: KnownEpoch): Snapshot => ({
  v: 1,
  network: profile.network,
  project_id: projectId,
  epoch,
  epoch_secs: consensus.work.epoch_secs,
  consensus_hash: hashProjectRules(consensus),
  params_hash: hashNetworkParams(defaultNetworkParams),
  beacon: { block_number: 1, block_hash: hashText('block'), value: hashText('beacon') },
  min_collateral: consensus.economics.min_collateral,
  weight_cap: consensus.economics.min_collateral,
  entries: [],
  excluded: [],
})

/** Final records that come to the units of an epoch: a round for each recipient. */
export const recordsOf = (known: KnownEpoch): FinalityRecord[] =>
  known.units.map(({ miner, units }) => ({
    v: 1,
    round_id: `task:${hashText(`${known.epoch} ${miner}`)}`,
    project_id: known.projectId,
    epoch: known.epoch,
    set_hash: hashSnapshot(setOf(known)),
    receipt_hash: hashText(miner),
    gas_used: units * defaultNetworkParams.gas_per_unit,
    audited: false,
    voters: [{ public_key: hashText(`key of ${miner}`), payout_address: miner }],
  }))

/** Keeps the rules and the set of an epoch, as after a round of it. */
export function keepRules(store: ServeStore, known: KnownEpoch): void {
  const set = setOf(known)
  store.projectRules.keep(known.projectId, hashProjectRules(known.consensus), known.consensus)
  store.sets.keep(
    {
      setHash: hashSnapshot(set),
      projectId: known.projectId,
      epoch: known.epoch,
      epochSecs: known.consensus.work.epoch_secs,
      snapshot: utf8(encodeCanonicalJson(set)),
    },
    Math.floor(Date.now() / 1000),
  )
}

/** Makes rounds final in a store, with the votes of validators. @param now Network time: votes of long ago are dropped. */
export function keepFinal(
  store: ServeStore,
  records: readonly FinalityRecord[],
  seeds: readonly string[],
  now = Math.floor(Date.now() / 1000),
): void {
  for (const record of records) {
    const subject = hashFinality(record)
    const { round_id: roundId, project_id: projectId, epoch } = record
    store.rounds.see({ roundId, projectId, epoch }, now)
    for (const seed of seeds)
      store.roundVotes.keep({ vote: createFinalityVote(profile, signerOf(seed), record), subject }, now)
    store.rounds.finalize(record, subject, now)
  }
}
