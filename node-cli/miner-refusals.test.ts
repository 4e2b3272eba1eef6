import { describe, expect, test } from 'vitest'
import { hashText } from '../protocol/encoding/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { artifactOf, collector, echo, type TestArtifact } from '../testing/node/artifacts.ts'
import { unixNow } from '../testing/node/hub-answers.ts'
import { bytes, json, type LinkHub } from '../testing/node/link-hub.ts'
import { type MinerProject, otherKeys } from '../testing/node/miner-project.ts'
import { createStage, publish, status, take, votesIn } from '../testing/node/miner-stage.ts'

describe('an invalid offer is declined, and nothing is signed', () => {
  const stranger = ed25519PublicKey(`0x${'77'.repeat(32)}`)
  const unknown = artifactOf('unknown', '(i64.const 0)')
  const never: TestArtifact = { ...echo, address: hashText('never uploaded') }

  interface Lie {
    readonly project?: Parameters<typeof publish>[2]
    readonly offer?: Parameters<MinerProject['offer']>[1]
    readonly hub?: (hub: LinkHub, project: MinerProject) => void
    readonly reason?: string
    readonly problem: string
  }
  const lies: Readonly<Record<string, Lie>> = {
    'the input of another task': {
      offer: { frame: { input_b64: Buffer.from('other').toString('base64') } },
      problem: 'the input has another hash than the task',
    },
    'an input elsewhere': {
      offer: { frame: { input_url: 'https://elsewhere.example/secret' } },
      problem: 'the input is to be read from https://elsewhere.example, which is not the hub',
    },
    'an input behind the firewall of the node': {
      offer: { frame: { input_url: 'http://127.0.0.1:9/secret' } },
      problem: 'the input is to be read from http://127.0.0.1:9, which is not the hub',
    },
    'an input that is not there': {
      hub: (hub) =>
        hub.answers.set('GET /v1/inputs/2', json({ error: 'not_found', message: 'Nothing is there.' }, 404)),
      offer: { frame: { input_url: 'ORIGIN/v1/inputs/2' } },
      problem: 'the hub does not have the input that it names',
    },
    'an input that is too large': {
      hub: (hub) => hub.answers.set('GET /v1/inputs/3', bytes(new Uint8Array(1024 * 1024 + 1))),
      offer: { frame: { input_url: 'ORIGIN/v1/inputs/3' } },
      problem: 'sent more than 1048576 bytes',
    },
    'a set without a quorum': {
      project: { attestedBy: 2 },
      problem: 'no quorum of generation 0 of the validators has signed the set of the epoch',
    },
    'a set that differs from the one that was signed': {
      hub: (hub, { projectId: id, snapshot, attestedSet }) =>
        hub.answers.set(
          `GET /v1/committees/${id}/${snapshot.epoch}`,
          json({
            ...attestedSet,
            snapshot: { ...snapshot, entries: snapshot.entries.map((one) => ({ ...one, reputation: 9000 })) },
          }),
        ),
      problem: 'the attested set of the epoch is',
    },
    'no set': {
      hub: (hub, { projectId: id, snapshot }) =>
        hub.answers.delete(`GET /v1/committees/${id}/${snapshot.epoch}`),
      problem: 'the hub has no attested set for the epoch',
    },
    'an answer that is not a set': {
      hub: (hub, { projectId: id, snapshot }) =>
        hub.answers.set(
          `GET /v1/committees/${id}/${snapshot.epoch}`,
          json({ snapshot: {}, attestations: [] }),
        ),
      problem: 'the set of the epoch is not acceptable',
    },
    'another set than that of the epoch': {
      offer: { task: { set_hash: hashText('other') } },
      problem: 'the attested set of the epoch is',
    },
    'the set of another epoch': {
      offer: { task: { epoch: 1 } },
      problem: 'the hub has no attested set for the epoch',
    },
    'a set without this node': {
      project: { nodeKeys: [stranger, ...otherKeys(2)] },
      problem: 'this node is not drawn for the task',
    },
    'another place in the draw': { offer: { frame: { position: 40 } }, problem: ', not as primary at 40' },
    'another role': { offer: { frame: { role: 'backup' } }, problem: 'this node is drawn as primary' },
    'rules that the hub does not have': {
      // No other project has these.
      project: { functions: ['echo', 'other'] },
      hub: (hub, { projectId: id }) => {
        hub.answers.set(`GET /v1/projects/${id}/manifest`, json({ manifest: { consensus: { work: {} } } }))
        hub.answers.set(`GET /v1/projects/${id}/versions?limit=200`, json({ items: [], next_cursor: null }))
      },
      problem: 'the hub has no version of the project with the rules',
    },
    'rules that the set is not for': {
      offer: { task: { consensus_hash: hashText('other') } },
      problem: 'the set is for the rules',
    },
    'another module than the worker': {
      offer: { task: { module_address: unknown.address } },
      problem: `module_address must be ${echo.address}`,
    },
    'a function that is no work of the project': {
      offer: { task: { function: 'steal' } },
      problem: 'function must be one of echo',
    },
    'more gas than the project allows': {
      offer: { task: { gas_limit: 100_000_001 } },
      problem: 'gas_limit must be from 1 to 100000000',
    },
    'a task of the time before its epoch': {
      offer: { task: { issued_at: 7200 } },
      problem: 'issued_at must be from',
    },
    'a task of the future': {
      offer: { task: { issued_at: unixNow() + 4000 } },
      problem: "s ahead of this node's clock",
    },
    'a module that nobody has': {
      project: { module: never },
      hub: (hub) => hub.answers.delete(`GET /v1/modules/${never.address}/hbc`),
      reason: 'unknown_module',
      problem: `the hub has no module ${never.address}`,
    },
    'another module under the address': {
      project: { module: never },
      reason: 'unknown_module',
      problem: 'has the address',
    },
    'bytes that are not a module': {
      project: { module: { ...never, bytes: new Uint8Array(10) } },
      reason: 'unknown_module',
      problem: 'is not valid:',
    },
    'a module with storage': {
      project: { module: collector, functions: ['f'] },
      problem: 'the module uses storage or calls others',
    },
    'a function that the module lacks': {
      project: { functions: ['missing'] },
      problem: 'the module does not export missing',
    },
    'an offer that is late': {
      offer: { frame: { accept_by: unixNow() - 5 } },
      reason: 'busy',
      problem: 'it came too late to be accepted',
    },
  }

  // One node for all: what it has declined does not keep it from work.
  test('with the reason for each', async () => {
    const { hub, miner, node, socket } = await createStage({ flags: ['--workers', '1'] })
    for (const [seq, [name, lie]] of Object.entries(lies).entries()) {
      // Each with a set of its own, so that nothing is known before.
      const beacon = { block_number: seq, block_hash: hashText(name), value: hashText(`value ${name}`) }
      const { set = {}, ...options } = lie.project ?? {}
      const project = publish(hub, miner, { ...options, set: { beacon, ...set } })
      lie.hub?.(hub, project)
      const { frame = {}, ...rest } = lie.offer ?? {}
      const input_url = (frame.input_url as string | undefined)?.replace('ORIGIN', hub.origin)
      const offer = project.offer(miner.key, {
        seq,
        ...rest,
        frame: { ...frame, ...(input_url !== undefined && { input_url }) },
      })
      socket.send(offer)
      const { reason = 'incompatible', problem } = lie
      const declined = await socket.next('decline')
      const { last_refusal } = await status(node)
      expect(declined, name).toEqual({ type: 'decline', offer_id: offer.offer_id, reason })
      expect(last_refusal, name).toEqual({
        offer_id: offer.offer_id,
        reason,
        problem: expect.stringContaining(problem),
        at: expect.any(Number),
      })
    }
    expect(votesIn(miner.dataDir)).toEqual([])
    expect(hub.requests.filter((one) => one.includes('secret'))).toEqual([])
    const honest = publish(hub, miner)
    expect(await take(socket, honest.offer(miner.key))).toMatchObject({ type: 'vote' })
  })
})
