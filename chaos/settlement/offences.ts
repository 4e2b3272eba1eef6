import { hashEvidence } from '../../protocol/slashing/index.ts'
import { Difference } from '../harness/difference.ts'
import { delay, until } from '../harness/time.ts'
import { requireStatus } from '../network/caller.ts'
import { stakingCall } from '../network/contracts.ts'
import type { Member } from '../network/projects.ts'
import { buildEvidence, type OffenceEpoch } from './evidence.ts'
import { endRound, recordRound } from './missed-rounds.ts'
import type { ChaosNetwork } from './network.ts'
import type { EvidencePlan } from './plan.ts'
import type { OffenceRecord, Scenario } from './records.ts'
import type { ChainSlash, SlashAnswer } from './views.ts'

export async function accuse(
  network: ChaosNetwork,
  { project, offences }: Scenario,
  at: OffenceEpoch,
  plan: EvidencePlan,
): Promise<void> {
  const { hub } = network
  const { evidence, other, holds, round } = buildEvidence(network, project, at, plan)
  if (plan.kind === 'missed_sla') await recordRound(network, round, plan)
  const post = (json: unknown) => hub.call<SlashAnswer>({ method: 'POST', path: '/v1/slashes', json })
  if (!holds) {
    const what = `evidence of ${plan.kind} that is wrong (${plan.flaw ?? 'no primary, or no set'})`
    return requireStatus(what, await post(evidence), 422)
  }
  if (plan.early) {
    // Kept until the round is over; the schedule may then judge it before anybody posts it again.
    requireStatus('early evidence', await post(evidence), 202)
    await endRound(network, round, plan.flaw === 'excused')
  }
  const answers =
    plan.again === 'other' ? await Promise.all([post(evidence), post(other)]) : [await post(evidence)]
  if (plan.again === 'same') answers.push(await post(evidence))
  for (const answer of answers) requireStatus(`evidence of ${plan.kind}`, answer, 201, 200)
  const hashes = new Set(answers.map(({ body }) => body.evidence_hash))
  const [first] = answers as [(typeof answers)[number]]
  const known: string[] = [hashEvidence(evidence), hashEvidence(other)]
  if (hashes.size !== 1 || !known.includes(first.body.evidence_hash))
    throw new Difference(`one offence of ${project.projectId} is recorded as ${[...hashes].join(', ')}`)
  const created = answers.filter(({ status }) => status === 201).length
  if (created > 1 || (created === 0 && !plan.early && !answers.some(({ repeated }) => repeated)))
    throw new Difference(`one offence was recorded ${created} times: ${first.body.evidence_hash}`)
  const record: OffenceRecord = {
    evidenceHash: first.body.evidence_hash,
    kind: plan.kind,
    member: project.members[plan.member % project.members.length] as Member,
    isOwnDispute: plan.dispute === 'own_transaction',
    expected: first.body.closed_reason === null ? 'executed' : 'closed',
  }
  project.offences.push(record)
  offences.push({ record, plan })
  if (record.expected === 'executed') await dispute(network, record, plan)
}

interface DisputeAnswer {
  readonly error: string
  readonly details: { readonly executable_at: number }
}

const postDispute = ({ hub }: ChaosNetwork, { evidenceHash, member }: OffenceRecord, reason: string) =>
  hub.call<DisputeAnswer>({
    method: 'POST',
    path: `/v1/slashes/${evidenceHash}/disputes`,
    token: member.wallet.token,
    json: { reason, links: [] },
  })

async function dispute(network: ChaosNetwork, record: OffenceRecord, plan: EvidencePlan): Promise<void> {
  if (plan.dispute === 'no' || plan.dispute === 'late') return
  if (record.isOwnDispute) await disputeAlone(network, record)
  else
    await until(`the dispute of ${record.evidenceHash} is filed`, async () => {
      const reply = await postDispute(network, record, 'The key was copied.')
      const { status, body, repeated } = reply
      if (status === 409 && body.error === 'duplicate' && repeated) return true
      // The proposal is not indexed yet, or was in a block that is gone.
      if (status === 409 && body.error === 'invalid_state') return JSON.stringify(body)
      requireStatus(`the dispute of ${record.evidenceHash}`, reply, 201)
      return true
    })
  record.expected = 'disputed'
}

const proposed = 1
const disputed = 2

/** Disputes by a transaction of the owner's own, until the chain has it. */
export async function disputeAlone(network: ChaosNetwork, { evidenceHash, member }: OffenceRecord) {
  const { chain } = network
  await until(`the dispute of ${evidenceHash} is on the chain`, async () => {
    const { state } = await chain.readOne<ChainSlash>(stakingCall(network, 'slashOf', evidenceHash))
    if (state === proposed) {
      await chain.send(member.wallet.address, [stakingCall(network, 'disputeSlash', evidenceHash)])
      await delay(600)
    }
    return state === disputed ? true : `state ${state}`
  })
}

/** Disputes when the window should be over, which a slash that was proposed late may still have open. */
export async function disputeLate(network: ChaosNetwork, record: OffenceRecord): Promise<void> {
  const { status, body } = await postDispute(network, record, 'I was away.')
  const now = await network.hub.time()
  // A hub that was killed before it answered knows the dispute when it is asked again.
  if (status === 201 || body.error === 'duplicate') record.expected = 'disputed'
  else if (status !== 409 || body.details.executable_at > now)
    throw new Difference(`the late dispute of ${record.evidenceHash}: ${status} ${JSON.stringify(body)}`)
}

export async function decide(
  { hub, operator }: ChaosNetwork,
  record: OffenceRecord,
  { decision }: EvidencePlan,
): Promise<void> {
  if (decision === 'none' || record.expected === 'closed') return
  const isDisputed = record.expected === 'disputed'
  if (decision === 'uphold' && !isDisputed) return
  await until(`${record.evidenceHash} is decided`, async () => {
    const path = `/admin/v1/slashes/${record.evidenceHash}/resolve`
    const reply = await hub.call({ method: 'POST', path, token: operator.token, json: { decision } })
    // A dispute of this minute may not be on the chain yet.
    if (reply.status === 409 && isDisputed) return JSON.stringify(reply.body)
    requireStatus(`${decision} of ${record.evidenceHash}`, reply, 200)
    return true
  })
  record.expected = decision === 'cancel' ? 'cancelled' : 'executed'
}
