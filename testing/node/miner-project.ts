import { epochStart } from '../../protocol/committees/index.ts'
import { hashBytes, hashText, utf8 } from '../../protocol/encoding/index.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import { type OfferFrame, offerId } from '../../protocol/link/index.ts'
import type { Task } from '../../protocol/rounds/index.ts'
import type { TestArtifact } from './artifacts.ts'
import { validatorSeeds } from './generations.ts'
import { unixNow } from './hub-answers.ts'
import { publicKeyOf } from './signers.ts'
import { attestedSet, createTestProject, type ProjectOptions, seatedOf, taskOf } from './test-project.ts'

export interface MinerProjectOptions extends Pick<ProjectOptions, 'aheadSeconds' | 'backups' | 'set'> {
  readonly module: TestArtifact
  readonly functions?: readonly string[]
  /** Keys that may be drawn. */
  readonly nodeKeys: readonly string[]
  readonly maxGas?: number
  /** How many of the four validators attest the set; all if left out. */
  readonly attestedBy?: number
}

export interface OfferOptions {
  readonly seq?: number
  readonly input?: string
  /** Members of the task in the place of what fits. */
  readonly task?: Partial<Task>
  /** Members of the frame in the place of what fits. */
  readonly frame?: Readonly<Record<string, unknown>>
}

/** A project with the attested set of the running epoch, and offers of its tasks. */
export type MinerProject = ReturnType<typeof createProject>

export function createProject(options: MinerProjectOptions) {
  const { module, functions = ['echo'], nodeKeys, maxGas = 100_000_000, attestedBy = 4 } = options
  const { aheadSeconds = 0, backups = 0, set = {} } = options
  const project = createTestProject({
    slug: `p-${module.address.slice(2, 22)}`,
    module: module.address,
    miners: nodeKeys,
    work: { functions: [...functions], max_gas_limit: maxGas },
    ...{ aheadSeconds, backups, set },
  })
  return {
    ...project,
    /** The answer of a hub about the set. */
    attestedSet: attestedSet(project, validatorSeeds.slice(0, attestedBy)),
    /** The offer of a task to one of the nodes that are drawn for it. */
    offer: (
      nodeKey: string,
      { seq = 0, input = '{"msg":"hi"}', task: changes = {}, frame = {} }: OfferOptions = {},
    ): OfferFrame => {
      const issued_at = unixNow() + aheadSeconds
      const { consensus_hash } = project.snapshot
      // Also where the epoch ends meanwhile.
      const last = epochStart(project.epoch + 1, project.consensus.work.epoch_secs) - 1
      const task = taskOf(project, {
        ...{ seq, issued_at: Math.min(issued_at, last), consensus_hash, input_hash: hashBytes(utf8(input)) },
        ...changes,
      })
      const seat = seatedOf(project, task.seq).seats.find(({ node_key }) => node_key === nodeKey)
      const position = (frame.position as number | undefined) ?? seat?.position ?? 0
      const offer_id = offerId({ round_id: deriveTaskRoundId(task), position })
      return {
        type: 'offer',
        offer_id,
        lease_id: offer_id,
        task,
        position,
        role: seat?.role ?? 'primary',
        ...(frame.input_url === undefined && { input_b64: Buffer.from(input).toString('base64') }),
        // A busy machine may need seconds for each step on the way; the vote is due when the round ends.
        accept_by: issued_at + 60,
        vote_by: issued_at + 90,
        ...frame,
      } as OfferFrame
    },
  }
}

/** Keys of other nodes. */
export const otherKeys = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => publicKeyOf(hashText(`node ${i}`)))
