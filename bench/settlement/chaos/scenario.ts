import { randomUUID } from 'node:crypto'
import { attestSnapshot, hashSnapshot, quorum, type Snapshot } from '../../../protocol/committees/index.ts'
import { hashEvidence } from '../../../protocol/slashing/index.ts'
import { Difference, delay, expectSame, until } from './difference.ts'
import { buildEvidence, type OffenceEpoch } from './evidence.ts'
import { endRound, recordRound } from './missed-rounds.ts'
import type { ChaosNetwork } from './network.ts'
import {
  type ClaimPlan,
  type EpochPlan,
  type EvidencePlan,
  type ScenarioPlan,
  validatorCount,
} from './plan.ts'
import {
  type EpochRecord,
  type Member,
  type OffenceRecord,
  type Project,
  stakingCall,
  topUp,
  vaultCall,
} from './project.ts'
import { buildReceipts, type EpochReceipts, signReceipt } from './receipts.ts'
import type { Validator } from './validators.ts'
import { type ChainSlash, type ClaimView, claimsOf, readSubscriptions, readVault } from './views.ts'

/** One scenario on its project, in steps: between them the time of the whole network passes. */
export interface Scenario {
  plan: ScenarioPlan
  project: Project
  /** The epoch that has a committee set. */
  epoch: number
  /** Offences that are recorded in this scenario, with what is planned about each. */
  offences: { record: OffenceRecord; plan: EvidencePlan }[]
  epochs: { record: EpochRecord; plan: EpochPlan; receipts: EpochReceipts }[]
  /** Eligible members as the chain had them before the epoch, by key. */
  eligible: { node_key: string; collateral: string }[]
}

const pollMs = 4_000

/** Before its epoch begins, and while nothing moves. */
export async function beginScenario(
  network: ChaosNetwork,
  project: Project,
  plan: ScenarioPlan,
  epoch: number,
): Promise<Scenario> {
  network.validators.behave(project.projectId, plan.attesters)
  const subscriptions = await readSubscriptions(network, project)
  const least = BigInt(project.consensus.economics.min_collateral)
  const eligible = project.members
    .flatMap(({ device }, at) => {
      const collateral = subscriptions[at]?.collateral ?? 0n
      return collateral >= least ? [{ node_key: device.publicKey, collateral: String(collateral) }] : []
    })
    .sort((a, b) => (a.node_key < b.node_key ? -1 : 1))
  const epochs = plan.epochs.map((planned) => {
    const number = epoch - planned.back
    const record: EpochRecord = {
      epoch: number,
      posted: new Map(),
      veto: 'none',
      claimed: new Map(),
      byHub: new Set(),
    }
    project.epochs.set(number, record)
    return { record, plan: planned, receipts: buildReceipts(network.profile, project, number, planned) }
  })
  return { plan, project, epoch, offences: [], epochs, eligible }
}

/** While the epoch runs: its set is attested or not, members offend, owners dispute and bond again. */
export async function workStep(network: ChaosNetwork, scenario: Scenario): Promise<void> {
  const { plan, project } = scenario
  const at = await attestStep(network, scenario)
  await Promise.all([
    (async () => {
      for (const planned of plan.evidence) await accuse(network, scenario, at, planned)
    })(),
    plan.topUp ? topUpStep(network, project) : undefined,
  ])
}

async function attestStep({ hub, profile, validators }: ChaosNetwork, scenario: Scenario) {
  const { plan, project, epoch, eligible } = scenario
  const path = `${project.projectId}/${epoch}`
  const honest = plan.attesters.filter((mode) => mode !== 'vanishes' && mode !== 'lies')
  const isAttested = honest.length >= quorum(validatorCount)
  const read = async ({ seed }: Validator): Promise<Snapshot> => {
    const request = { path: `/v1/nodes/committee-sets/${path}`, seed }
    for (;;) {
      const { status, body } = await hub.call<Snapshot>(request)
      if (status === 200) return body
      if (status !== 404) throw new Difference(`the set of ${path}: ${status} ${JSON.stringify(body)}`)
      await delay(pollMs)
    }
  }
  const snapshot = await read(validators.nodes[0] as Validator)
  const setHash = hashSnapshot(snapshot)
  expectSame(
    `the set of ${path}`,
    snapshot.entries.map(({ node_key, collateral }) => ({ node_key, collateral })),
    eligible,
  )
  await Promise.all(
    validators.nodes.map(async (validator, index) => {
      if (plan.attesters[index] !== 'by_itself') return
      await hub.expect(200, {
        method: 'POST',
        path: `/v1/nodes/committee-sets/${path}`,
        seed: validator.seed,
        json: attestSnapshot(profile, validator.seed, setHash),
      })
    }),
  )
  const shown = () => hub.call<{ set_hash: string }>({ path: `/v1/committees/${path}` })
  if (isAttested)
    await until(`the set of ${path} is attested`, async () => (await shown()).status === 200, {
      pollMs,
    })
  else expectSame(`the answer about the set of ${path}`, (await shown()).status, 425)
  return { epoch, snapshot, setHash, isAttested } satisfies OffenceEpoch
}

interface SlashAnswer {
  evidence_hash: string
  status: string
  closed_reason: string | null
  amount: string
}

/** Posts evidence as planned, and disputes what comes of it. */
async function accuse(
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
  const known = [hashEvidence(evidence), hashEvidence(other)]
  if (hashes.size !== 1 || !known.includes(first.body.evidence_hash as `0x${string}`))
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
async function disputeAlone(network: ChaosNetwork, { evidenceHash, member }: OffenceRecord): Promise<void> {
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

/** Once faults have ended: does again what people did by transactions of their own that are in no block any more. */
export async function repeatStep(network: ChaosNetwork, { project, offences }: Scenario): Promise<void> {
  for (const { record } of offences)
    if (record.isOwnDispute && record.expected === 'disputed') await disputeAlone(network, record)
  for (const { payout } of project.members) {
    const claims = await claimsOf(network, project, payout)
    const lost = claims.filter(({ epoch }) => {
      const record = project.epochs.get(epoch)
      return record?.claimed.has(payout) === true && !record.byHub.has(payout)
    })
    for (const claim of lost) await claimTogether(network, project, payout, [claim])
  }
}

async function topUpStep(network: ChaosNetwork, project: Project): Promise<void> {
  const subscriptions = await readSubscriptions(network, project)
  const least = BigInt(project.consensus.economics.min_collateral)
  for (const [at, member] of project.members.entries())
    if ((subscriptions[at]?.collateral ?? 0n) < least)
      // The hub may be killed meanwhile, or the chain refuse: whether it was bonded is for the chain to say.
      await topUp(network, project, member).catch((error: unknown) => {
        if (error instanceof Difference) throw error
      })
}

/** Once the epoch is over: the arbiter decides, and validators post what the epochs pay. */
export async function settleStep(network: ChaosNetwork, scenario: Scenario): Promise<void> {
  const { plan, project, offences, epochs } = scenario
  for (const { record, plan: planned } of offences) {
    if (planned.dispute === 'late' && record.expected === 'executed') await disputeLate(network, record)
    await decide(network, record, planned)
  }
  if (plan.funding !== 'late') await fund(network, project, epochs, plan.funding)
  for (const one of epochs) await postReceipts(network, project, one)
}

/** Disputes when the window should be over, which a slash that was proposed late may still have open. */
async function disputeLate({ hub }: ChaosNetwork, record: OffenceRecord): Promise<void> {
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

async function decide(
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

/** Puts into the vault what is missing for everything that is not posted yet. */
export async function fund(
  network: ChaosNetwork,
  project: Project,
  epochs: readonly { receipts: EpochReceipts }[],
  funding: ScenarioPlan['funding'],
): Promise<void> {
  const { chain } = network
  const { vault, developer } = project
  const owed = await owedBy(network, project)
  const coming = epochs.reduce(
    (sum, { receipts: { right, conflicting } }) =>
      sum + maxOf(BigInt(right?.body.totals.gross ?? 0), BigInt(conflicting?.body.totals.gross ?? 0)),
    0n,
  )
  const needed = (owed + coming) * (funding === 'ample' ? 2n : 1n)
  const wanted = funding === 'short' ? needed / 2n : needed
  await until(`the vault ${vault} is funded`, async () => {
    const { balance, reserved } = await readVault(network, project)
    const missing = wanted - (balance - reserved)
    if (missing <= 0n) return true
    await chain.send(developer.address, [vaultCall(vault, 'fund', missing)])
    await delay(600)
    return false
  })
}

const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** What earlier epochs cost that are attested, and that the vault has nothing set aside for. */
async function owedBy(network: ChaosNetwork, { vault, epochs }: Project): Promise<bigint> {
  const open = [...epochs.values()].filter(({ posted, veto }) => posted.size > 0 && veto !== 'stands')
  const states = (await network.chain.read(
    open.map(({ epoch }) => vaultCall(vault, 'epochOf', BigInt(epoch))),
  )) as { merkleRoot: string }[]
  return open
    .filter((_, at) => BigInt(states[at]?.merkleRoot ?? 0) === 0n)
    .reduce(
      (sum, { posted }) =>
        sum + [...posted.values()].map(({ body }) => BigInt(body.totals.gross)).reduce(maxOf, 0n),
      0n,
    )
}

async function postReceipts(
  network: ChaosNetwork,
  project: Project,
  { record, plan, receipts }: Scenario['epochs'][number],
): Promise<void> {
  const { hub, validators } = network
  for (const together of plan.receipts)
    await Promise.all(
      together.map(async (kind, index) => {
        const signed = signReceipt(network, receipts, kind)
        if (signed === null) return
        const { status, body } = await hub.call({
          method: 'POST',
          path: '/v1/nodes/epoch-receipts',
          seed: validators.nodes[index % validators.nodes.length]?.seed as string,
          json: signed.receipt,
        })
        if (!signed.statuses.includes(status))
          throw new Difference(
            `the receipt (${kind}) of ${project.projectId}/${record.epoch}: ${status} ${JSON.stringify(body)}`,
          )
        if (kind === 'right' || kind === 'conflicting') {
          const built = kind === 'right' ? receipts.right : receipts.conflicting
          if (built) record.posted.set(signed.receipt.receipt_hash, built)
        }
      }),
    )
}

export interface EpochAnswer {
  status: string
  receipt_hash?: string
  totals?: Record<string, unknown>
  settlement?: { status: string; error: string | null }
}

/** Once what can be posted is: operators veto, and vaults that had too little get what they lack. */
export async function vetoStep(network: ChaosNetwork, { plan, project, epochs }: Scenario): Promise<void> {
  const { hub, operator } = network
  for (const { record, plan: planned } of epochs) {
    if (planned.veto === 'none' || record.posted.size === 0) continue
    const path = `${project.projectId}/${record.epoch}`
    const { status } = await hub.expect<EpochAnswer>(200, { path: `/v1/explorer/epochs/${path}` })
    if (status !== 'settled') continue
    const veto = await hub.call<{ error: string }>({
      method: 'POST',
      path: `/admin/v1/epochs/${path}/veto`,
      token: operator.token,
      json: { reason: 'A test.' },
    })
    if (veto.status !== 200 && !(veto.status === 409 && veto.repeated))
      throw new Difference(`the veto of ${path}: ${veto.status} ${JSON.stringify(veto.body)}`)
    record.veto = 'stands'
  }
  if (plan.funding === 'late') await fund(network, project, epochs, 'exact')
}

/** Once vetoes are on the chain: some epochs are posted again. */
export async function reopenStep(network: ChaosNetwork, { project, epochs }: Scenario): Promise<void> {
  const { hub, operator } = network
  for (const { record, plan } of epochs) {
    if (record.veto !== 'stands' || plan.veto !== 'reopened') continue
    const path = `${project.projectId}/${record.epoch}`
    await until(`${path} is reopened`, async () => {
      const { status, body, repeated } = await hub.call({
        method: 'POST',
        path: `/admin/v1/epochs/${path}/reopen`,
        token: operator.token,
        json: { reason: 'A test.' },
      })
      if (status !== 200 && !(status === 409 && repeated))
        throw new Difference(`the reopening of ${path}: ${status} ${JSON.stringify(body)}`)
      return true
    })
    record.veto = 'reopened'
  }
}

/** Once the epochs are released: payouts are claimed, those of all members at once. */
export async function claimStep(network: ChaosNetwork, { project, epochs }: Scenario): Promise<void> {
  await Promise.all(project.members.map((member, at) => claimPayouts(network, project, epochs, member, at)))
}

async function claimPayouts(
  network: ChaosNetwork,
  project: Project,
  epochs: Scenario['epochs'],
  member: Member,
  at: number,
): Promise<void> {
  const claims = await claimsOf(network, project, member.payout)
  const planned = new Map(epochs.map(({ record, plan }) => [record.epoch, plan.claims[at]]))
  // The hub claims everything there is for a wallet, and nothing for others.
  const isOwn = member.payout === member.wallet.address
  const isHubs = isOwn && [...planned.values()].includes('hub')
  const wanted = claims.filter(({ epoch }) => isHubs || planned.get(epoch) !== 'left')
  for (const { epoch, amount } of wanted)
    project.epochs.get(epoch)?.claimed.set(member.payout, BigInt(amount))
  const byOthers = wanted.filter(({ epoch }) => !isHubs || planned.get(epoch) === 'stranger')
  await Promise.all([
    isHubs && wanted.length > 0 ? withdraw(network, project, member) : undefined,
    claimOnChain(network, project, member, byOthers, planned),
  ])
  for (const { epoch } of wanted)
    await until(`${project.vault} has paid ${member.payout} for ${epoch}`, () =>
      isClaimed(network, project, epoch, member.payout),
    )
}

/** Has the hub claim all payouts of a wallet from the vault, at times where a stranger is faster. */
async function withdraw(
  { hub }: ChaosNetwork,
  { projectId, epochs }: Project,
  { wallet }: Member,
): Promise<void> {
  const { status, body } = await hub.call<{ error: string; items: { epochs: { epoch: number }[] }[] }>({
    method: 'POST',
    path: '/v1/me/withdrawals/claims',
    token: wallet.token,
    idempotencyKey: randomUUID(),
    json: { project_ids: [projectId] },
  })
  if (status !== 202 && !(status === 409 && body.error === 'conflict'))
    throw new Difference(`the withdrawal of ${wallet.address}: ${status} ${JSON.stringify(body)}`)
  if (status === 202)
    for (const { epoch } of body.items.flatMap((item) => item.epochs))
      epochs.get(epoch)?.byHub.add(wallet.address)
}

/** Brings proofs to the vault, one after the other or together. */
async function claimOnChain(
  network: ChaosNetwork,
  project: Project,
  { payout, wallet }: Member,
  claims: readonly ClaimView[],
  planned: ReadonlyMap<number, ClaimPlan | undefined>,
): Promise<void> {
  const { chain, minter } = network
  const isTogether = ({ epoch }: ClaimView) => (planned.get(epoch) ?? 'together') === 'together'
  for (const { epoch, amount, proof } of claims.filter((claim) => !isTogether(claim)))
    await ensureClaimed(network, project, epoch, payout, () =>
      chain.send(planned.get(epoch) === 'owner' ? wallet.address : minter, [
        vaultCall(project.vault, 'claim', BigInt(epoch), payout, BigInt(amount), proof),
      ]),
    )
  await claimTogether(network, project, payout, claims.filter(isTogether))
}

async function claimTogether(
  network: ChaosNetwork,
  project: Project,
  payout: string,
  claims: readonly ClaimView[],
): Promise<void> {
  const { chain, minter } = network
  const many = claims.map(({ epoch, amount, proof }) => ({
    epoch: BigInt(epoch),
    miner: payout,
    amount: BigInt(amount),
    proof,
  }))
  for (const { epoch } of claims)
    await ensureClaimed(network, project, epoch, payout, () =>
      chain.send(minter, [vaultCall(project.vault, 'claimMany', many)]),
    )
}

const isClaimed = async (
  { chain }: ChaosNetwork,
  { vault }: Project,
  epoch: number,
  miner: string,
): Promise<boolean> => (await chain.readOne<bigint>(vaultCall(vault, 'claimedOf', BigInt(epoch), miner))) > 0n

async function ensureClaimed(
  network: ChaosNetwork,
  project: Project,
  epoch: number,
  miner: string,
  send: () => Promise<void>,
): Promise<void> {
  await until(`${project.vault} has paid ${miner} for ${epoch}`, async () => {
    if (await isClaimed(network, project, epoch, miner)) return true
    await send()
    await delay(500)
    return isClaimed(network, project, epoch, miner)
  })
}
