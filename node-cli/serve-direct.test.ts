import { describe, expect, test } from 'vitest'
import { executionSubject } from '../protocol/rounds/index.ts'
import { collector, collectorOf, employer, type TestArtifact } from '../testing/node/artifacts.ts'
import { conflict, roundOf } from '../testing/node/execution-calls.ts'
import type { NodeProcess, ServingNode } from '../testing/node/serving-node.ts'
import { shared } from '../testing/node/shared.ts'
import { createTestProject } from '../testing/node/test-project.ts'
import {
  callSigned,
  createValidators,
  showArtifact,
  startKnowing,
  startKnowingProcess,
  startTestHub,
  type TestHub,
  type TestValidator,
} from '../testing/node/validator-network.ts'

const { address } = collector

/** The state of the collector's storage that a quorum signed last. */
interface Head {
  seq: number | null
  root: string | null
}

const nothing: Head = { seq: null, root: null }

const newRound = (module = address) => roundOf({ address: module })

const ask = (node: ServingNode, round: object, head: Head = nothing, module = address) =>
  callSigned(node, '/execute', {
    module,
    function: 'f',
    input: '',
    gas_limit: 1_000_000,
    round,
    heads: [{ module_address: module, ...head }],
  })

const tell = (node: ServingNode, votes: readonly object[]) =>
  callSigned(node, '/consensus/direct-rounds', { votes })

/** Has nodes vote in one round, as the coordinator does. */
async function votesOf(nodes: readonly ServingNode[], head: Head = nothing, module = address) {
  const round = newRound(module)
  const replies = await Promise.all(nodes.map((node) => ask(node, round, head, module)))
  for (const { status, text } of replies) expect([status, text]).toEqual([200, expect.any(String)])
  const votes = replies.map(({ json }) => json.vote)
  expect(new Set(votes.map(executionSubject)).size).toBe(1)
  const [{ post_seq: seq, post_root: root }] = votes[0].state
  return { round, votes, output: replies[0]!.json.output as string, head: { seq, root } as Head }
}

/** A round that is decided, of which every node is told. */
async function decide(nodes: readonly ServingNode[], head: Head = nothing, module = address) {
  const decided = await votesOf(nodes, head, module)
  for (const node of nodes)
    expect((await tell(node, decided.votes)).json).toEqual({
      round_id: decided.votes[0].round_id,
      behind: [],
    })
  return decided
}

interface Four {
  readonly hub: TestHub
  readonly validators: readonly TestValidator[]
  readonly nodes: ServingNode[]
  /** The last of them, which is a process. */
  readonly killed: NodeProcess
}

/** Four that tests share, each with modules of its own. */
const four = shared(async (): Promise<Four> => {
  const hub = await startTestHub(createTestProject())
  showArtifact(hub, address, collector.bytes)
  const validators = await createValidators(hub)
  const [last, ...others] = validators.toReversed()
  const killed = await startKnowingProcess(last!)
  const here = await Promise.all(others.toReversed().map((one) => startKnowing(one)))
  return { hub, validators, nodes: [...here, killed], killed }
})
const show = ({ address, bytes }: TestArtifact): string => {
  showArtifact(four().hub, address, bytes)
  return address
}

/** Starts one of the four again. */
async function restart(index: number): Promise<void> {
  const { validators, nodes } = four()
  nodes[index] = await four.add(() => startKnowing(validators[index]!))
}

/** Acts as the coordinator for a node that cannot vote yet: sends it the votes that it missed, and asks again. */
async function bringToVote(
  node: ServingNode,
  missed: readonly object[],
  { round, head, module }: { round: object; head: Head; module: string },
) {
  const refused = await ask(node, round, head, module)
  expect(refused).toMatchObject(conflict('state_behind'))
  expect((await tell(node, missed)).status).toBe(200)
  let reply = await ask(node, round, head, module)
  await expect
    .poll(async () => {
      reply = await ask(node, round, head, module)
      return reply.status
    })
    .toBe(200)
  return reply.json
}

describe('direct rounds of a module with storage', () => {
  test('two of four validators are restarted one after the other, and each votes with the others again', async () => {
    const { nodes } = four()
    const module = show(collectorOf('restarts'))
    let last = await decide(nodes, nothing, module)
    for (const restarted of [0, 1]) {
      await nodes[restarted]!.stop()
      last = await decide(
        nodes.filter((_, i) => i !== restarted),
        last.head,
        module,
      )
      await restart(restarted)
      const round = newRound(module)
      const others = await Promise.all(
        nodes.filter((_, i) => i !== restarted).map((node) => ask(node, round, last.head, module)),
      )
      const asked = { round, head: last.head, module }
      const caughtUp = await bringToVote(nodes[restarted]!, last.votes, asked)
      const votes = [...others.map(({ json }) => json.vote), caughtUp.vote]
      expect(new Set(votes.map(executionSubject)).size).toBe(1)
      for (const node of nodes) expect((await tell(node, votes)).json.behind).toEqual([])
      const [{ post_seq: seq, post_root: root }] = votes[0].state
      last = { ...last, votes, head: { seq, root } }
    }
    expect((await decide(nodes, last.head, module)).output).toBe('xxxxxx')
  })

  test('a round without a quorum writes nothing, whatever the nodes are told about it', async () => {
    const { nodes } = four()
    const module = show(collectorOf('quorum'))
    const first = await votesOf(nodes, nothing, module)
    expect(first.output).toBe('x')
    const told = await tell(nodes[0]!, first.votes.slice(0, 2))
    expect([told.status, told.json.error]).toEqual([422, 'invalid_evidence'])
    // One key is one vote.
    const twice = await tell(nodes[0]!, [first.votes[0], first.votes[0], first.votes[1]])
    expect(twice.status).toBe(422)
    const second = await decide(nodes, nothing, module)
    expect(second.output).toBe('x')
    // Votes on a round that is over change no storage.
    expect((await tell(nodes[0]!, first.votes)).status).toBe(200)
    expect((await votesOf(nodes, second.head, module)).output).toBe('xx')
  })

  test('a validator that is killed between its vote and the decision writes the state it voted for, once', async () => {
    const { nodes, killed } = four()
    const module = show(collectorOf('killed'))
    const round = await votesOf(nodes, nothing, module)
    await killed.kill()
    await restart(3)
    expect((await ask(nodes[3]!, round.round, nothing, module)).json.vote).toEqual(round.votes[3])
    for (let i = 0; i < 2; i++)
      for (const node of nodes) expect((await tell(node, round.votes)).json.behind).toEqual([])
    expect((await decide(nodes, round.head, module)).output).toBe('xx')
  })

  test('a decided round is written even if another module ran before the nodes heard of the decision', async () => {
    const { nodes } = four()
    const module = show(collectorOf('decided'))
    const decided = await votesOf(nodes, nothing, module)
    await votesOf(nodes, nothing, show(collectorOf('other')))
    for (const node of nodes) expect((await tell(node, decided.votes)).json.behind).toEqual([])
    expect((await votesOf(nodes, decided.head, module)).output).toBe('xx')
  })

  test('a node votes only on the agreed storage, not on an earlier or a later state', async () => {
    const { nodes } = four()
    const module = show(collectorOf('agreed'))
    const first = await decide(nodes, nothing, module)
    const second = await decide(nodes, first.head, module)
    for (const head of [first.head, { ...second.head, root: first.head.root }, { ...second.head, seq: 9 }]) {
      const refused = await ask(nodes[0]!, newRound(module), head, module)
      expect([refused.status, refused.json.details]).toEqual([
        409,
        { reason: 'state_behind', modules: [{ module_address: module, ...second.head }] },
      ])
    }
    expect((await votesOf(nodes, second.head, module)).output).toBe('xxx')
  })

  test('a vote names every module whose storage its run read, and is for the agreed state of each', async () => {
    const { nodes } = four()
    const { head } = await decide(nodes)
    const [node] = nodes
    await node!.call(`/modules/${employer.address}`, { method: 'PUT', body: employer.bytes })
    const round = { ...newRound(), module_address: employer.address }
    const askWith = (heads: object[]) =>
      callSigned(node!, '/execute', { ...{ module: employer.address, function: 'f', round, heads } })
    const own = { module_address: employer.address, ...nothing }
    const refused = await askWith([own])
    expect([refused.status, refused.json.details]).toEqual([
      409,
      { reason: 'state_behind', modules: [{ module_address: address, ...head }] },
    ])
    const { output, vote } = (await askWith([own, { module_address: address, ...head }])).json
    expect([output, vote.state]).toEqual([
      'xx',
      [expect.objectContaining({ module_address: address, pre_seq: 1, post_seq: 2 })],
    ])
  })
})
