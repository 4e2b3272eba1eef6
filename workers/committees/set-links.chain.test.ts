import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import type { Snapshot } from '../../protocol/committees/index.ts'
import { profileStrings, resolveProfile } from '../../protocol/identity/index.ts'
import type { HubFrame, SetAnswer } from '../../protocol/link/index.ts'
import { services } from '../services.ts'
import type { TestNode } from '../test/callers.ts'
import { client } from '../test/client.ts'
import { openRelay, RelaySocket, upgradeHeaders } from '../test/relay-socket.ts'
import { createListedProject, minCollateral } from '../test/subscription.ts'
import {
  addValidator,
  answerOf,
  attest,
  chain,
  find,
  happen,
  now,
  project,
  testSets,
} from './testing/project-sets.ts'

testSets()

async function advanceOverLinks(projectId: string): Promise<void> {
  await services(env).committees?.(projectId).wake(projectId)
  await runDurableObjectAlarm(env.PROJECT_COMMITTEES.getByName(projectId))
}

/** Calls by HTTP, by host. */
const called: string[] = []

async function validators(count: number) {
  called.length = 0
  const nodes = []
  for (let i = 0; i < count; i++) {
    const node = await addValidator(i)
    chain.hosts.set(node.host, (request) => {
      called.push(node.host)
      return answerOf(node)(request)
    })
    nodes.push(node)
  }
  return nodes
}

async function linked(node: TestNode, versions?: string): Promise<RelaySocket> {
  const headers = await upgradeHeaders(node)
  const relay =
    versions === undefined
      ? (await openRelay(node)).relay
      : new RelaySocket(
          (await client().get('/v1/relay', { ...headers, 'Sec-WebSocket-Protocol': versions })).webSocket!,
        )
  relay.ready(0, [], 'validator')
  await relay.drain()
  return relay
}

const answersTo = (node: TestNode, frame: HubFrame): SetAnswer[] =>
  frame.type !== 'attest'
    ? []
    : frame.sets.map((set) => ({
        project_id: set.project_id,
        epoch: set.epoch,
        attestation: attest(node, set as unknown as Snapshot),
      }))

/** Attests what comes, until there is an answer for each project. @returns How many frames that took. */
async function attestAll(relay: RelaySocket, node: TestNode, count: number): Promise<number> {
  let [frames, sets] = [0, 0]
  while (sets < count) {
    const answers = answersTo(node, await relay.next())
    frames += 1
    sets += answers.length
    relay.send({ type: 'attested', answers })
  }
  return frames
}

describe('validators with links', () => {
  test('attest the sets of many projects in one frame each, and only validators without a link are called', async () => {
    const nodes = await validators(4)
    const relays = await Promise.all(nodes.slice(0, 3).map((node) => linked(node)))
    const projects = [project]
    for (let i = 0; i < 4; i++)
      projects.push(await createListedProject({ economics: { min_collateral: String(minCollateral) } }))
    await happen({})
    const [frames] = await Promise.all([
      Promise.all(relays.map((relay, i) => attestAll(relay, nodes[i]!, projects.length))),
      Promise.all(projects.map(advanceOverLinks)),
    ])
    for (const id of projects)
      expect(await find(id)).toMatchObject({ valid: true, attestedAt: now, attestations: [{}, {}, {}, {}] })
    for (const count of frames) expect(count).toBeLessThan(projects.length)
    expect(called).toEqual(projects.map(() => nodes[3]?.host))
  })

  test('of the earlier build get frames without sets, and are called by HTTP', async () => {
    const [first, second] = await validators(2)
    const { relay_subprotocol_2: earlier } = profileStrings(resolveProfile())
    const older = await linked(first!, earlier)
    const newer = await linked(second!)
    await happen({})
    await Promise.all([advanceOverLinks(project), attestAll(newer, second!, 1)])
    expect(await find()).toMatchObject({ valid: true, attestations: [{}, {}] })
    expect(called).toEqual([first!.host])
    expect((await older.drain()).map(({ type }) => type)).toEqual([])
  })

  test('that sign another set or refuse it attest nothing; the hub reports the error to the former', async () => {
    const [liar, other] = await validators(2)
    const [lying, refusing] = [await linked(liar!), await linked(other!)]
    await happen({})
    const progress = advanceOverLinks(project)
    const [answer] = answersTo(other!, await lying.next())
    lying.send({ type: 'attested', answers: [answer!] })
    const [{ project_id, epoch }] = answersTo(other!, await refusing.next()) as [SetAnswer]
    refusing.send({ type: 'attested', answers: [{ project_id, epoch, code: 'invalid_evidence' }] })
    await progress
    expect(await lying.next()).toMatchObject({ type: 'error', code: 'invalid_evidence' })
    expect(await refusing.drain()).toEqual([])
    expect(await find()).toMatchObject({ attestations: [], attestedAt: null })
    expect(called).toEqual([])
  })
})
