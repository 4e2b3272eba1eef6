import { DatabaseSync } from 'node:sqlite'
import {
  createExecutionVote,
  createTaskVote,
  type ExecutionVote,
  type ExecutionVoteContent,
  type TaskVote,
  type TaskVoteContent,
} from '../../../../protocol/consensus/index.ts'
import { hexToBytes } from '../../../../protocol/encoding/index.ts'
import { computeStateRoot, hashPayload, type StateEntry } from '../../../../protocol/execution/index.ts'
import { ArtifactError, parseArtifact } from '../../../../protocol/hbc/artifact.ts'
import type { ArtifactManifest } from '../../../../protocol/hbc/manifest.ts'
import type { StorageWrite } from '../../engine/index.ts'
import { profile } from '../../profile.ts'
import { type NodeReceipt, nodeReceiptOf, type Ran } from '../../receipts.ts'
import { consensusTasks } from '../consensus/tasks.ts'
import { epochTasks } from '../epochs/tasks.ts'
import { type FoundPage, type StatePlace, StateReader, type StateSummary } from '../sync/state-reader.ts'
import { findSeat, readAttestedSet } from './attested-sets.ts'

/** An artifact that keeps every rule, or the rule it breaks. */
export type ReadArtifact =
  | {
      readonly status: 'valid'
      readonly address: string
      readonly wasm: Uint8Array
      readonly functions: readonly string[]
      readonly manifest: ArtifactManifest
      /** It imports neither storage nor calls of other modules. */
      readonly stateless: boolean
      readonly usesStorage: boolean
    }
  | { readonly status: 'invalid'; readonly rule: string; readonly message: string }

/** The state roots of one module before and after a run. */
export interface StateRoots {
  readonly pre: string
  readonly post: string
}

interface StatePageRequest {
  readonly file: string
  readonly address: string
  readonly sequence: number
  readonly place: StatePlace
}

const stateReader = new StateReader(profile)

/**
 * What the node computes outside the thread that answers requests, because it takes milliseconds or more. Each is a pure
 * function of what it is given, but the roots, which are of the database as it is, and seats, which are of a set read before.
 */
export const tasks = {
  ...consensusTasks,
  ...epochTasks,

  readArtifact(hbc: Uint8Array): ReadArtifact {
    try {
      const { manifest, manifestAddress, wasm, guest } = parseArtifact(hbc)
      return {
        status: 'valid',
        address: manifestAddress,
        // A copy: the module may be a view of the archive, which would be sent whole.
        wasm: wasm.slice(),
        functions: manifest.functions,
        manifest,
        stateless: guest.stateless,
        usesStorage: guest.imports.some((name) => name.startsWith('storage.')),
      }
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error
      return { status: 'invalid', rule: error.rule, message: error.message }
    }
  },

  hashPayload,

  makeReceipt: (ran: Ran): NodeReceipt => nodeReceiptOf(ran),

  makeExecutionVote: ({ seed, content }: { seed: string; content: ExecutionVoteContent }): ExecutionVote =>
    createExecutionVote(profile, seed, content),

  makeTaskVote: ({ seed, content }: { seed: string; content: TaskVoteContent }): TaskVote =>
    createTaskVote(profile, seed, content),

  readAttestedSet,

  findSeat,

  /** Reads all that the module stores, so no other run may change it meanwhile. */
  computeStateRoots({
    file,
    address,
    writes,
  }: {
    file: string
    address: string
    writes: readonly StorageWrite[]
  }): StateRoots {
    const stored = readStorage(file, address)
    const pre = rootOf(stored)
    for (const write of writes)
      if (write.address === address)
        if (write.value === null) stored.delete(write.key)
        else stored.set(write.key, write.value)
    return { pre, post: rootOf(stored) }
  },

  stateSummary: ({ file, address }: { file: string; address: string }): StateSummary =>
    stateReader.summary(file, address),

  statePage: ({ file, address, sequence, place }: StatePageRequest): FoundPage =>
    stateReader.page(file, address, sequence, place),
} as const

export type Tasks = typeof tasks
export type TaskName = keyof Tasks

function readStorage(file: string, address: string): Map<string, Uint8Array> {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = db.prepare('SELECT key, value FROM storage WHERE address = ?').all(address)
    return new Map((rows as { key: string; value: Uint8Array }[]).map(({ key, value }) => [key, value]))
  } finally {
    db.close()
  }
}

const rootOf = (stored: ReadonlyMap<string, Uint8Array>): string => {
  const entries = [...stored].map(([key, value]): StateEntry => ({ key: hexToBytes(`0x${key}`), value }))
  return computeStateRoot(profile, entries).root
}
