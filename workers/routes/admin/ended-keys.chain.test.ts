import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { hashGeneration, type ValidatorGeneration } from '../../../protocol/committees/index.ts'
import { resolveProfile } from '../../../protocol/identity/index.ts'
import { closeCodes } from '../../../protocol/link/index.ts'
import { services } from '../../services.ts'
import type { TestNode } from '../../test/callers.ts'
import { bodyOf, client, expectRefusal } from '../../test/client.ts'
import type { Json } from '../../test/known-answers.ts'
import { openRelay, upgradeHeaders } from '../../test/relay-socket.ts'
import { runSql } from '../../test/tables.ts'
import {
  gather,
  idsOf,
  lead,
  readChain,
  readValidators,
  setTime,
  start,
  validatorScene,
  verifiedChain,
} from './testing/validators.ts'

const scene = validatorScene()
const { chain, away, asked, register, registerAll, registerFour, beginWithTwoAway, genesis, change } = scene
const profile = resolveProfile()

describe('keys that are revoked at once', () => {
  test('are not asked to sign, cannot return and do not lower the quorum; other keys leave with their generation', async () => {
    const nodes = await registerFour()
    const [one, two, three] = nodes
    await genesis(nodes)
    const revoke = (node: TestNode, body: object) =>
      scene.operator.post(`/admin/v1/nodes/${node.nodeId}/revoke`, body)
    expect(await bodyOf(revoke(one, { at_once: true, reason: 'The key was copied.' }))).toMatchObject({
      status: 'revoked',
      revoked_at: start,
    })
    await gather()
    expect(asked.sort()).toEqual(['four', 'three', 'two'])
    expect((await verifiedChain())[1]?.validators).toHaveLength(3)
    // It is not called any more, where it still counts.
    expect(await services(env).validators.ofEpoch(1, 3_600)).toMatchObject({
      document: { generation: 0, validators: { length: 4 } },
    })
    const { validators: ofNow } = await readValidators()
    expect(ofNow.filter(({ url }: Json) => url === null).map(({ node_id }: Json) => node_id)).toEqual([
      one.nodeId,
    ])
    await expectRefusal(scene.operator.post(`/admin/v1/nodes/${one.nodeId}/approve`), '409 invalid_state')

    expect(await bodyOf(revoke(two, {}))).toMatchObject({ status: 'revoked', revoked_at: null })
    // Another one waits, and the key ends all the same.
    expect(await bodyOf(revoke(three, { at_once: true }))).toMatchObject({ revoked_at: start })
    expect((await services(env).pendingGenerations.find())?.document.validators).toHaveLength(2)
    const notes = await services(env).auditLog.list(one.nodeId, undefined, 10)
    expect(notes[0]).toMatchObject({
      action: 'node.revoke',
      reason: 'The key was copied.',
      after: { status: 'revoked', revoked_at: start },
    })
    expect(hashGeneration(profile, (await readChain())[1]?.document as ValidatorGeneration)).toBe(
      (await services(env).validators.last())?.hash,
    )
  })

  test('lose their links, and cannot reconnect with a ticket', async () => {
    const nodes = await registerFour()
    const [one, two] = nodes
    await genesis(nodes)
    const links = await Promise.all([one, two].map(async (node) => ({ node, ...(await openRelay(node)) })))
    await scene.operator.post(`/admin/v1/nodes/${one.nodeId}/revoke`, { at_once: true })
    await change({ revoke: [two.nodeId], emergency: true })
    for (const { node, relay, hello } of links) {
      expect(await relay.close()).toMatchObject({ code: closeCodes.banned })
      await expectRefusal(
        client().get('/v1/relay', await upgradeHeaders(node, hello.ticket)),
        '403 forbidden',
        { details: { reason: 'not_bound' } },
      )
    }
  })

  test('a signature counts if it arrived before its key was revoked', async () => {
    const { first: nodes, joining } = await beginWithTwoAway()
    await change({ approve: [joining.nodeId] })
    await gather()
    setTime(start + 5)
    await scene.operator.post(`/admin/v1/nodes/${nodes[0]?.nodeId}/revoke`, { at_once: true })
    away.delete('three')
    await services(env).generationKeeper.wake()
    await gather()
    expect(await verifiedChain()).toHaveLength(2)
  })

  test('a signature does not count if it arrives after its key was revoked', async () => {
    const nodes = await registerFour()
    await genesis(nodes)
    const joining = await register('new')
    const host = 'one.validators.example'
    const sign = chain.hosts.get(host)!
    chain.hosts.set(host, async (request) => {
      const answer = await sign(request)
      await runSql('UPDATE nodes SET revoked_at = ? WHERE node_id = ?', start, nodes[0]!.nodeId)
      return answer
    })
    away.add('four')
    await change({ approve: [joining.nodeId] })
    await gather()
    expect(asked.sort()).toEqual(['four', 'one', 'three', 'two'])
    expect(await verifiedChain()).toHaveLength(1)
    away.delete('four')
    setTime(start + 5)
    await gather()
    expect(await verifiedChain()).toHaveLength(2)
  })

  test('an emergency generation takes effect with the generation of the oldest epoch that may be open', async () => {
    const nodes = await registerFour()
    await genesis(nodes)
    const [joining, other] = (await registerAll('five', 'six')) as [TestNode, TestNode]
    await change({ approve: [joining.nodeId] })
    await gather()
    setTime(start + lead + 3_600)
    expect(await bodyOf(change({ approve: [other.nodeId], emergency: true }))).toMatchObject({
      generation: 2,
      effective_at: 0,
    })
    await gather()
    expect((await verifiedChain()).map(({ effective_at }) => effective_at)).toEqual([0, start + lead, 0])
  })

  test('an emergency generation undoes only the node statuses that the replaced generation set', async () => {
    const [one, two, three, four] = await registerFour()
    const [five, six, seven] = (await registerAll('five', 'six', 'seven')) as [TestNode, TestNode, TestNode]
    await genesis([one, two, three, four, seven])
    await change({ revoke: [seven.nodeId] })
    await gather()
    for (const name of ['one', 'two', 'three', 'four']) away.add(name)
    await change({ approve: idsOf([five, six, seven]), revoke: idsOf([one, two, three]) })
    expect(
      (await change({ approve: [six.nodeId], revoke: idsOf([two, four]), emergency: true })).status,
    ).toBe(202)
    const statuses = async () =>
      Object.fromEntries(
        await Promise.all(
          Object.entries({ one, two, three, four, five, six, seven }).map(async ([name, { nodeId }]) => {
            const { status, revokedAt } = (await services(env).nodes.find(nodeId))!
            return [name, revokedAt === null ? status : 'ended']
          }),
        ),
      )
    const kept = { one: 'approved', two: 'ended', three: 'approved', four: 'ended', seven: 'revoked' }
    expect(await statuses()).toEqual({ ...kept, five: 'pending', six: 'approved' })
    expect((await services(env).auditLog.list(five.nodeId, undefined, 10))[0]).toMatchObject({
      action: 'node.restore',
      before: { status: 'approved' },
      after: { status: 'pending' },
    })
    // A key that has ended stays ended, also where the next emergency does not name it.
    await change({ approve: [five.nodeId], emergency: true })
    expect(await statuses()).toEqual({ ...kept, five: 'approved', six: 'pending' })
  })

  test('an emergency generation needs a quorum of the remaining validators, and at least one of them', async () => {
    const nodes = await registerFour()
    await genesis(nodes)
    const joining = await registerAll('five', 'six')
    for (const name of ['one', 'two']) away.add(name)
    await expectRefusal(
      change({ revoke: idsOf(nodes), approve: idsOf(joining), emergency: true }),
      '409 invalid_state',
    )
    const gone = idsOf(nodes.slice(0, 2))
    expect((await change({ revoke: gone, approve: idsOf(joining), emergency: true })).status).toBe(202)
    await gather()
    expect(asked.sort()).toEqual(['four', 'three'])
    expect((await verifiedChain()).map(({ effective_at }) => effective_at)).toEqual([0, 0])
    for (const nodeId of gone)
      expect(await services(env).nodes.find(nodeId)).toMatchObject({ status: 'revoked', revokedAt: start })
  })
})
