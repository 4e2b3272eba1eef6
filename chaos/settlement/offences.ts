import { hashEvidence } from '../../protocol/slashing/index.ts'
import { Difference } from '../harness/difference.ts'
import { delay, until } from '../harness/time.ts'
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
    const { status, body } = await post(evidence)
    const what = `evidence of ${plan.kind} that is wrong (${plan.flaw ?? 'no primary, or no set'})`
    if (status !== 422) throw new Difference(`${what}: ${status} ${JSON.stringify(body)}`)
    return
  }
  if (plan.early) {
    // Kept until the round is over; the schedule may then judge it before anybody posts it again.
    const { status, body } = await post(evidence)
    if (status !== 202) throw new Difference(`early evidence: ${status} ${JSON.stringify(body)}`)
    await endRound(network, round)
  }
  const answers =
    plan.again === 'other' ? await Promise.all([post(evidence), post(other)]) : [await post(evidence)]
  if (plan.again === 'same') answers.push(await post(evidence))
  for (const { status, body } of answers)
    if (status !== 201 && status !== 200)
      throw new Difference(`evidence of ${plan.kind}: ${status} ${JSON.stringify(body)}`)
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

async function dispute(network: ChaosNetwork, record: OffenceRecord, plan: EvidencePlan): Promise<void> {
  if (plan.dispute === 'no' || plan.dispute === 'late') return
  const { hub } = network
  const { evidenceHash, member } = record
  if (record.isOwnDispute) await disputeAlone(network, record)
  else
    await until(`the dispute of ${evidenceHash} is filed`, async () => {
      const { status, body, repeated } = await hub.call<{ error: string }>({
        method: 'POST',
        path: `/v1/slashes/${evidenceHash}/disputes`,
        token: member.wallet.token,
        json: { reason: 'The key was copied.', links: [] },
      })
      if (status === 201) return true
      if (status === 409 && body.error === 'duplicate' && repeated) return true
      // The proposal is not indexed yet, or was in a block that is gone.
      if (status === 409 && body.error === 'invalid_state') return JSON.stringify(body)
      throw new Difference(`the dispute of ${evidenceHash}: ${status} ${JSON.stringify(body)}`)
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
export async function disputeLate({ hub }: ChaosNetwork, record: OffenceRecord): Promise<void> {
  const { status, body } = await hub.call<{ error: string; details: { executable_at: number } }>({
    method: 'POST',
    path: `/v1/slashes/${record.evidenceHash}/disputes`,
    token: record.member.wallet.token,
    json: { reason: 'I was away.', links: [] },
  })
  const now = await hub.time()
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
    const { status, body } = await hub.call<{ error: string }>({
      method: 'POST',
      path: `/admin/v1/slashes/${record.evidenceHash}/resolve`,
      token: operator.token,
      json: { decision },
    })
    if (status === 200) return true
    // A dispute of this minute may not be on the chain yet.
    if (status === 409 && isDisputed) return JSON.stringify(body)
    throw new Difference(`${decision} of ${record.evidenceHash}: ${status} ${JSON.stringify(body)}`)
  })
  record.expected = decision === 'cancel' ? 'cancelled' : 'executed'
}
