import { beaconTargetTime } from '../../../../../protocol/committees/index.ts'
import { type Problem, ProblemList } from '../../../../../protocol/encoding/index.ts'
import type { FixedParams } from '../../../../../protocol/identity/index.ts'
import type { Judgement } from '../../store/rounds.ts'
import type { SetEntry } from '../jobs.ts'
import { NotYet, problem } from '../refusal.ts'
import type { SnapshotHeader } from '../set-rules.ts'
import type { ChainFacts } from './chain-facts.ts'

/**
 * The problems of a set that the chain shows: its beacon is not the highest block before the target, or an entry differs from
 * the bond as of that block. @throws {@link NotYet} while the chain lacks the block after the beacon, or does not answer.
 */
export async function findSetProblemsOnChain(
  chain: ChainFacts,
  staking: string,
  header: SnapshotHeader,
  entries: readonly SetEntry[],
  params: FixedParams,
): Promise<Problem[]> {
  const problems = new ProblemList()
  const { block_number: number, block_hash: hash } = header.beacon
  const target = beaconTargetTime(header.epoch, header.epoch_secs, params)
  const [block, next] = [await chain.block(number), await chain.block(number + 1)]
  if (block === null || next === null)
    throw new NotYet('the chain does not have the block after the beacon yet')
  if (block.hash !== hash)
    return [problem('beacon.block_hash', `must be ${block.hash}, as the chain has it.`)]
  if (block.timestamp >= target || next.timestamp < target)
    return [problem('beacon.block_number', `must be that of the highest block before ${target}.`)]
  const ids = entries.map((entry) => entry.subscription_id)
  const bonded = await chain.subscriptions(staking, ids, number)
  for (const [i, { owner, collateral, payout, isUnbonding }] of bonded.entries()) {
    if (problems.isFull) break
    const entry = entries[i]!
    const at = (member: string): string => `entries[${i}].${member}`
    const says = (expected: string): string => `must be ${expected}, as of the beacon block.`
    if (entry.owner !== owner) problems.add(problem(at('owner'), says(owner)))
    if (entry.collateral !== collateral) problems.add(problem(at('collateral'), says(collateral)))
    if (entry.payout_address !== payout) problems.add(problem(at('payout_address'), says(payout)))
    if (isUnbonding) problems.add(problem(at('subscription_id'), 'is unbonding as of the beacon block.'))
  }
  return problems.found()
}

/** Whether the audit block is the first one after `agreed_at`. @throws {@link NotYet} */
export async function findAuditBlockProblem(
  chain: ChainFacts,
  { audit_block: audit, agreed_at }: Pick<Judgement, 'audit_block' | 'agreed_at'>,
): Promise<Problem | null> {
  const block = await chain.block(audit.number)
  if (block === null) throw new NotYet(`the chain has no block ${audit.number} yet`)
  if (block.hash !== audit.hash || block.timestamp !== audit.timestamp)
    return problem(
      'audit_block',
      `must be block ${block.number} of the chain: ${block.hash}, mined at ${block.timestamp}.`,
    )
  const before = audit.number === 0 ? null : await chain.block(audit.number - 1)
  if (before !== null && before.timestamp > agreed_at)
    return problem('audit_block.number', `must be that of the first block after ${agreed_at}.`)
  return null
}
