import type { BuiltEpochReceipt } from '../../protocol/earnings/index.ts'
import { createProjects, type Member, type Project } from '../network/projects.ts'
import type { ChaosNetwork } from './network.ts'
import { type EpochPlan, type EvidencePlan, memberCount, type ScenarioPlan } from './plan.ts'
import type { EpochReceipts } from './receipts.ts'

export interface EpochRecord {
  epoch: number
  /** Receipts that a quorum attested and somebody posted, by their hash: the hub has one of them. */
  posted: Map<string, BuiltEpochReceipt>
  veto: 'none' | 'stands' | 'reopened'
  /** Amounts that were paid, by address. */
  claimed: Map<string, bigint>
  /** Addresses for which the hub claims. */
  byHub: Set<string>
}

export interface OffenceRecord {
  /** The evidence that the hub keeps. */
  evidenceHash: string
  kind: string
  member: Member
  /** Whether the owner disputed it without the hub. */
  isOwnDispute: boolean
  /** Its state in the end. */
  expected: 'closed' | 'executed' | 'cancelled' | 'disputed'
}

/** A project, in whose epochs one scenario comes after the other. */
export interface ScenarioProject extends Project {
  /** Number of the next task. */
  seq: number
  epochs: Map<number, EpochRecord>
  offences: OffenceRecord[]
}

/** One scenario on its project, in steps: between them the time of the whole network passes. */
export interface Scenario {
  plan: ScenarioPlan
  project: ScenarioProject
  /** The epoch that has a committee set. */
  epoch: number
  /** Offences that are recorded in this scenario, with the plan of each. */
  offences: { record: OffenceRecord; plan: EvidencePlan }[]
  epochs: { record: EpochRecord; plan: EpochPlan; receipts: EpochReceipts }[]
  /** Eligible members as the chain had them before the epoch, by key. */
  eligible: { node_key: string; collateral: string }[]
}

export async function makeProjects(network: ChaosNetwork, count: number): Promise<ScenarioProject[]> {
  const projects = await createProjects(network, count, { members: memberCount })
  return projects.map((project) => ({ ...project, seq: 0, epochs: new Map(), offences: [] }))
}
