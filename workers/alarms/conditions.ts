import type { RelayerHealth } from '../../durable-objects/relayer/types.ts'
import { lagSecsMax, projectionLagMsMax } from '../routes/network/health.ts'
import type { LateWork } from '../stores/late-work.ts'

/** The state of the hub at one check. A member is null if its part does not answer. */
export interface HubFacts {
  readonly chain: {
    readonly halted: string | null
    readonly finalizing: boolean | null
    readonly lag_secs: number | null
  } | null
  /** False if the hub has none. */
  readonly relayer: RelayerHealth | null | false
  /** False if the hub is not the arbiter. */
  readonly arbiter: RelayerHealth | null | false
  /** Whether the faucet has too few tokens for the drips of a day; false if it is closed. */
  readonly faucetIsLow: boolean | null
  readonly late: readonly LateWork[] | null
  readonly projectionLagMs: number | null
  readonly database: {
    readonly deadLetters: number
    readonly databaseBytes: number
    /** Epochs that cannot be posted. */
    readonly unposted: readonly EpochName[]
    /** Since the last backup; infinite if none was made, 0 if none is needed. */
    readonly backupAgeSecs: number
    /** How far the newest block is ahead of the network time of the hub; as a rule below 0. */
    readonly clockBehindSecs: number
    /** Secrets of the hub, and when it had their values first. */
    readonly secrets: readonly { readonly name: string; readonly seenAt: number }[]
  }
  readonly missingSettings: readonly string[]
}

type EpochName = Pick<LateWork, 'projectId' | 'epoch'>

export interface Alarm {
  /** Stable; its runbook has the symptom. */
  readonly name: string
  /** The fault, as a sentence for operators; at most one line. */
  readonly message: string
}

/** The alarms of one check. */
export interface Alarms {
  readonly raised: readonly Alarm[]
  /** Names of alarms whose part does not answer: they stay as they are. */
  readonly unknown: readonly string[]
}

/** A larger database raises an alarm; D1 holds 10 GB. */
const databaseBytesMax = 7e9
/** A backup is made each day, and takes some time. */
const backupAgeSecsMax = 26 * 3_600
/** No chain takes blocks from so far ahead. */
const clockBehindSecsMax = 30
const secretAgeSecsMax = 365 * 86_400
/** Shorter waits happen, and end by themselves. */
const waitSecsMax = 600

/** The alarms that the facts raise, one for each name. @param now - Network time. @param lowWei - A lower balance of the relayer is an alarm. */
export function alarmsOf(facts: HubFacts, now: number, lowWei: bigint): Alarms {
  const { chain, relayer, arbiter, faucetIsLow, database, projectionLagMs, missingSettings } = facts
  const { deadLetters, databaseBytes, backupAgeSecs, clockBehindSecs, unposted, secrets } = database
  const oldSecrets = secrets.filter(({ seenAt }) => now - seenAt > secretAgeSecsMax)
  const places = (...kinds: LateWork['what'][]) =>
    facts.late?.filter(({ what, since }) => kinds.includes(what) && now - since > waitSecsMax) ?? null
  const all: Row[] = [
    [
      'relayer_low',
      relayer && (relayer.balanceWei === null ? null : BigInt(relayer.balanceWei) < lowWei),
      relayer ? `The relayer ${relayer.signer} has ${relayer.balanceWei} wei left.` : '',
    ],
    [
      'arbiter_unavailable',
      arbiter && (arbiter.balanceWei === null ? null : arbiter.status === 'unavailable'),
      arbiter
        ? `The arbiter ${arbiter.signer} submits no decision. It has ${arbiter.balanceWei} wei left and ${arbiter.open} open actions.`
        : '',
    ],
    ['faucet_low', faucetIsLow, 'The faucet has fewer tokens than it may give in a day.'],
    [
      'transaction_stuck',
      relayer && relayer.overdue + relayer.undecided > 0,
      relayer
        ? `${relayer.overdue + relayer.undecided} actions have waited for a block for more than ten minutes.`
        : '',
    ],
    ['index_halted', chain && chain.halted !== null, `The index of the chain has stopped: ${chain?.halted}`],
    [
      'index_behind',
      chain && (chain.lag_secs ?? 0) > lagSecsMax,
      `The index is ${chain?.lag_secs} s behind the chain.`,
    ],
    [
      'chain_not_final',
      chain && chain.finalizing === false,
      'No block of the chain has become final for a long time.',
    ],
    lateAlarm(
      'set_late',
      'An epoch runs without an attested set',
      places('set_not_built', 'set_not_attested'),
    ),
    lateAlarm(
      'rounds_waiting',
      'Rounds wait for validators or for a block',
      places('rounds_without_quorum', 'rounds_without_block'),
    ),
    lateAlarm('tasks_waiting', 'Tasks wait for a round', places('tasks_waiting')),
    lateAlarm('posting_failing', 'Epochs cannot be posted', unposted),
    [
      'dead_letters',
      deadLetters > 0,
      `${deadLetters} messages failed every attempt, and no operator has handled them.`,
    ],
    [
      'projection_late',
      projectionLagMs === null ? null : projectionLagMs > projectionLagMsMax,
      'Lists are more than a minute late.',
    ],
    [
      'database_full',
      databaseBytes > databaseBytesMax,
      `The database has ${(databaseBytes / 1e9).toFixed(1)} of 10 GB.`,
    ],
    [
      'backup_late',
      backupAgeSecs > backupAgeSecsMax,
      backupAgeSecs === Number.POSITIVE_INFINITY
        ? 'No backup was ever made.'
        : `The last backup is ${Math.floor(backupAgeSecs / 3_600)} hours old.`,
    ],
    [
      'clock_behind',
      clockBehindSecs > clockBehindSecsMax,
      `The newest block is ${clockBehindSecs} s ahead of the clock of the hub.`,
    ],
    [
      'secrets_old',
      oldSecrets.length > 0,
      `Secrets are older than a year: ${oldSecrets.map(({ name }) => name).join(', ')}.`,
    ],
    ['settings_missing', missingSettings.length > 0, `Settings are missing: ${missingSettings.join(', ')}.`],
  ]
  return {
    raised: all.flatMap(([name, holds, message]) => (holds ? { name, message } : [])),
    unknown: all.flatMap(([name, holds]) => (holds === null ? name : [])),
  }
}

/** Whether an alarm holds is null if its part does not answer. */
type Row = [name: string, holds: boolean | null, message: string]

const lateAlarm = (name: string, what: string, epochs: readonly EpochName[] | null): Row => {
  const places = epochs?.map(({ projectId, epoch }) => `${projectId} in epoch ${epoch}`) ?? []
  return [
    name,
    epochs && places.length > 0,
    `${what}: ${places.slice(0, 3).join(', ')}${places.length > 3 ? ' and others' : ''}.`,
  ]
}
