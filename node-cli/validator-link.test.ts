import { expect, test } from 'vitest'
import { hashText } from '../protocol/encoding/index.ts'
import { createFinalityVote, type FinalityVote, parseFinalityVote } from '../protocol/rounds/index.ts'
import { echo } from '../testing/node/artifacts.ts'
import type { HubSocket } from '../testing/node/link-hub.ts'
import { createTestRound, finalityRequest, profile } from '../testing/node/test-project.ts'
import { attestSet, decide, keys, sharedValidator, shown } from '../testing/node/validator-calls.ts'
import { showArtifact, validatorSeeds } from '../testing/node/validator-network.ts'

const { attesting } = sharedValidator()

let socket: HubSocket | null = null
/** A project that the validator has attested, and its link. */
async function linked() {
  const stage = await attesting()
  socket ??= await stage.hub.connection()
  return { ...stage, socket }
}

const ofRound = ({ roundId, ...round }: ReturnType<typeof createTestRound>, options = {}) => ({
  round_id: roundId,
  ...finalityRequest({ roundId, ...round }, options),
})

test('rounds of a frame get the same votes as from the route, and refused rounds get the reason', async () => {
  const { hub, project, node, socket } = await linked()
  showArtifact(hub, echo.address, echo.bytes)
  const [clean, audited] = [0, 1].map((seq) => createTestRound(project, { seq })) as [
    ReturnType<typeof createTestRound>,
    ReturnType<typeof createTestRound>,
  ]
  // A member of a later build.
  const later = { ...ofRound(clean), later: 1 }
  const strange = { round_id: `task:${hashText('strange')}`, task: 'unknown' }
  const rounds = [later, ofRound(audited, { audited: true }), strange]
  socket.send({ type: 'decide', rounds })
  const answers = new Map<string, object>()
  while (answers.size < 3)
    for (const answer of (await socket.next('decided')).answers) answers.set(answer.round_id, answer)
  expect(answers.get(strange.round_id)).toEqual({ round_id: strange.round_id, code: 'invalid_field' })
  for (const [round, options] of [
    [clean, {}],
    [audited, { audited: true }],
  ] as const) {
    const { json } = await decide(node, finalityRequest(round, options))
    expect(answers.get(round.roundId)).toEqual({ round_id: round.roundId, ...json })
    expect(parseFinalityVote(profile, json.vote, keys).round_id).toBe(round.roundId)
  }
  expect(answers.get(audited.roundId)).toMatchObject({ run: { receipt: {} } })
})

test('sets of a frame are attested as by the route, and refused sets get the reason', async () => {
  const { project, node, socket } = await linked()
  const other = { ...project.snapshot, network: 'other' }
  const { project_id, epoch } = project.snapshot
  for (const sets of [[project.snapshot], [other]]) socket.send({ type: 'attest', sets })
  const answers: unknown[] = []
  while (answers.length < 2) answers.push(...(await socket.next('attested')).answers)
  const { json } = await attestSet(node, project)
  expect(answers).toEqual([
    { project_id, epoch, attestation: json },
    { project_id, epoch, code: 'invalid_evidence' },
  ])
})

test('one frame carries votes of many rounds, and a vote that this node cannot judge does not block others', async () => {
  const { project, node, socket } = await linked()
  const rounds = [2, 3].map((seq) => createTestRound(project, { seq }))
  const votes: FinalityVote[] = []
  for (const round of rounds) {
    const { json } = await decide(node, finalityRequest(round))
    for (const seed of validatorSeeds) votes.push(createFinalityVote(profile, seed, json.vote.finality))
  }
  const unknown = createFinalityVote(profile, validatorSeeds[1]!, {
    ...votes[0]!.finality,
    round_id: `task:${hashText('unknown')}`,
    project_id: hashText('unknown'),
  })
  socket.send({ type: 'finality', votes: [unknown, ...votes] })
  for (const { roundId } of rounds)
    await expect.poll(async () => (await shown(node, roundId)).json.state).toBe('finalized')
})
