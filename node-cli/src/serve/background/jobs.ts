import { hashPayload } from '../../../../protocol/execution/index.ts'
import { ArtifactError, parseArtifact } from '../../../../protocol/hbc/artifact.ts'
import type { ArtifactManifest } from '../../../../protocol/hbc/manifest.ts'
import type { Profile } from '../../../../protocol/identity/index.ts'
import {
  createExecutionVote,
  createTaskVote,
  type ExecutionVote,
  type ExecutionVoteContent,
  type TaskVote,
  type TaskVoteContent,
} from '../../../../protocol/rounds/index.ts'
import type { StorageWrite } from '../../engine/index.ts'
import { nodeSigner } from '../../node-signer.ts'
import { nodeReceiptOf } from '../../receipts.ts'
import { epochJobs } from '../epochs/jobs.ts'
import type { FullIndex, IndexChange } from '../store/state-index.ts'
import { computeIndexChange, computeStateIndex } from '../sync/state-change.ts'
import { type FoundPage, type StatePlace, StateReader, type StateSummary } from '../sync/state-reader.ts'
import { validatorJobs } from '../validator/jobs.ts'
import { findSeat, readAttestedSet } from './attested-sets.ts'

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

/**
 * The computations outside the thread that answers requests, because they take milliseconds or more. Each is a pure function
 * of its arguments, except jobs that read the database, and jobs that keep a set in memory or draw from it.
 */
export const createJobs = (profile: Profile, stateReader = new StateReader(profile)) => ({
  ...validatorJobs,
  ...epochJobs,

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

  makeReceipt: nodeReceiptOf,

  makeExecutionVote: (seed: string, content: ExecutionVoteContent): ExecutionVote =>
    createExecutionVote(profile, nodeSigner(seed), content),

  makeTaskVote: (seed: string, content: TaskVoteContent): TaskVote =>
    createTaskVote(profile, nodeSigner(seed), content),

  readAttestedSet,

  findSeat,

  computeStateIndex: (file: string, address: string): FullIndex => computeStateIndex(profile, file, address),

  computeIndexChange: (file: string, address: string, writes: readonly StorageWrite[]): IndexChange =>
    computeIndexChange(profile, file, address, writes),

  stateSummary: (file: string, address: string): StateSummary => stateReader.summary(file, address),

  statePage: (file: string, address: string, sequence: number, place: StatePlace): FoundPage =>
    stateReader.page(file, address, sequence, place),
})

export type Jobs = ReturnType<typeof createJobs>
export type JobName = keyof Jobs
