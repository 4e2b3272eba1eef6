import type { Block } from '../../protocol/committees/index.ts'
import { base64ToBytes } from '../../protocol/encoding/index.ts'
import { hashReceipt } from '../../protocol/execution/index.ts'
import { defaultNetworkParams, deriveTaskRoundId, resolveProfile } from '../../protocol/identity/index.ts'
import {
  auditDraw,
  createFinalityRecord,
  createFinalityVote,
  isAudited,
  type Task,
  type TaskVote,
  tallyVotes,
} from '../../protocol/rounds/index.ts'
import { verifyNatively } from '../native-ed25519.ts'
import { seatedOf } from './attested-set.ts'
import { createNode, type TestNode } from './callers.ts'
import { simulateRun } from './simulated-members.ts'
import { setValidators } from './validators.ts'

const profile = resolveProfile()

interface FinalityRequest {
  task: Task
  input_b64: string
  votes: TaskVote[]
  agreed_at: number
  audit_block: Block
  fallback: string | null
}

/** A validator behind `fetch`, which does what a node does, or what a test has it do. */
export class SimulatedValidator {
  readonly node: TestNode
  readonly host: string
  /** Calls so far, by path. */
  readonly calls: { path: string; body: unknown }[] = []
  /** Has it run another module. */
  salt = ''
  /** Large events that its runs emit. */
  eventCount = 0
  /** Answers in its place, if set. */
  instead: ((path: string, body: unknown) => Response | null | Promise<Response | null>) | null = null

  constructor(node: TestNode, host: string) {
    this.node = node
    this.host = host
  }

  async handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const body: unknown = await request.json()
    this.calls.push({ path: pathname, body })
    const other = await this.instead?.(pathname, body)
    if (other) return other
    if (pathname === '/consensus/task-rounds')
      return Response.json(await this.decide(body as FinalityRequest))
    if (pathname === '/consensus/votes') return Response.json({ state: 'finalized' })
    return new Response(null, { status: 404 })
  }

  asked(path = '/consensus/task-rounds'): unknown[] {
    return this.calls.filter((call) => call.path === path).map(({ body }) => body)
  }

  async decide({ task, input_b64, votes, agreed_at, audit_block, fallback }: FinalityRequest) {
    const seated = await seatedOf(task)
    const tally = tallyVotes(profile, seated, task, votes, verifyNatively)
    if (audit_block.timestamp <= agreed_at) throw new Error('the audit block is too old')
    const draw = auditDraw(profile, deriveTaskRoundId(task), audit_block.hash)
    const mustRun = fallback !== null || isAudited(draw, defaultNetworkParams.audit_bp, tally.contested)
    const input = base64ToBytes(input_b64) ?? new Uint8Array()
    const run = mustRun ? simulateRun(task, input, this.salt, this.eventCount) : null
    const own = run && { receipt_hash: hashReceipt(run.receipt), gas_used: run.receipt.gas_used }
    const record = createFinalityRecord(task, tally, own)
    return { vote: createFinalityVote(profile, this.node.key, record), run }
  }
}

export async function createRoundValidators(count: number): Promise<SimulatedValidator[]> {
  const validators = Array.from(
    { length: count },
    (_, i) => new SimulatedValidator(createNode(), `validator-${i}.rounds.example`),
  )
  await setValidators(validators.map(({ node, host }) => ({ ...node, url: `https://${host}` })))
  return validators
}
