import { Difference, expectSame } from '../harness/difference.ts'
import { stakingCall } from '../network/contracts.ts'
import type { Counts } from './counts.ts'
import type { ChaosNetwork } from './network.ts'
import type { OffenceRecord, ScenarioProject } from './records.ts'
import { type ChainSlash, readList, type SlashAnswer } from './views.ts'

const closedStates = { executed: 5, cancelled: 4, disputed: 2, closed: 0 } as const

/** Every offence that was proven is one slash, which ended as was decided, in the hub as on the chain. */
export async function checkSlashes(network: ChaosNetwork, project: ScenarioProject, counts: Counts) {
  const { projectId, offences } = project
  const shown = await readList<SlashAnswer>(network, `/v1/explorer/slashes?project_id=${projectId}`)
  expectSame(
    `the slashes of ${projectId}`,
    shown.map(({ evidence_hash }) => evidence_hash).sort(),
    offences.map(({ evidenceHash }) => evidenceHash).sort(),
  )
  const states = (await network.chain.read(
    offences.map(({ evidenceHash }) => stakingCall(network, 'slashOf', evidenceHash)),
  )) as ChainSlash[]
  const byHash = new Map(shown.map((one) => [one.evidence_hash, one]))
  for (const [at, offence] of offences.entries())
    checkSlash(byHash.get(offence.evidenceHash) as SlashAnswer, states[at] as ChainSlash, offence, counts)
}

function checkSlash(shown: SlashAnswer, state: ChainSlash, offence: OffenceRecord, counts: Counts): void {
  const { evidenceHash, expected, member } = offence
  const what = `the slash ${evidenceHash}`
  counts[`slashes_${expected}`] += 1
  const status = expected === 'closed' ? 'cancelled' : expected
  expectSame(
    `${what} of ${member.subscriptionId}`,
    [shown.status, state.state],
    [status, closedStates[expected]],
  )
  if (expected !== 'closed') expectSame(`the amount of ${what}`, state.amount, BigInt(shown.amount))
  if ((shown.taken === null) === (expected === 'executed'))
    throw new Difference(`${what} is ${shown.status} and took ${shown.taken}`)
}
