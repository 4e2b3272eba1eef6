import type { Abi } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Deployment } from '../contracts/deploy.ts'
import { hubTokenAbi, stakingAbi } from '../contracts/generated/contracts.ts'
import { chainFacts } from '../node-cli/src/serve/validator/chain/chain-facts.ts'
import { chainRpc } from '../node-cli/src/serve/validator/chain/chain-rpc.ts'
import { beaconTargetTime, beaconValue, hashSnapshot, type Snapshot } from '../protocol/committees/index.ts'
import { hashText } from '../protocol/encoding/index.ts'
import { anvilKeys, deriveSubscriptionId } from '../protocol/identity/index.ts'
import { ed25519PublicKey, evmAddress } from '../protocol/signatures/index.ts'
import { type Anvil, hasAnvil, sendMined, startAnvil } from '../testing/anvil.ts'
import { deployNetwork } from '../testing/deployed-chain.ts'
import { descriptorOf } from '../testing/node/hub-answers.ts'
import type { Reply } from '../testing/node/serving-node.ts'
import {
  createTestProject,
  createTestRound,
  finalityRequest,
  params,
  profile,
  type TestProject,
} from '../testing/node/test-project.ts'
import {
  callSigned,
  coordinatorSeed,
  createValidators,
  startKnowing,
  startTestHub,
} from '../testing/node/validator-network.ts'

const owner = evmAddress(anvilKeys[0]!)
const payout = `0x${'5a'.repeat(20)}`
const unit = 10n ** 18n

interface Block {
  number: string
  hash: string
  timestamp: string
}

interface Mined {
  number: number
  hash: string
  timestamp: number
}

describe.runIf(hasAnvil)('a validator with a chain', () => {
  let anvil: Anvil
  let deployment: Deployment
  let project: TestProject

  beforeAll(async () => {
    const start = Math.floor(Date.now() / 1000)
    anvil = await startAnvil(['--timestamp', String(start - 3 * 3_600)])
    deployment = await deployNetwork(anvil)
    project = await bondedProject()
  })
  afterAll(async () => anvil?.stop())

  const blockAt = async (tag: string): Promise<Mined> => {
    const { number, hash, timestamp } = await anvil.rpc<Block>('eth_getBlockByNumber', tag, false)
    return { number: Number(number), hash, timestamp: Number(timestamp) }
  }

  const send = (to: string, abi: Abi, functionName: string, ...args: unknown[]) =>
    sendMined(anvil, {
      from: owner,
      to,
      data: encodeFunctionData({ abi, functionName, args }),
    })

  const mineAt = async (timestamp: number): Promise<Mined> => {
    await anvil.rpc('evm_mine', timestamp)
    return blockAt('latest')
  }

  /** Four nodes with a bond as of the beacon block, of which one is paid elsewhere; one more is bonded after it. */
  async function bondedProject(): Promise<TestProject> {
    const made = createTestProject()
    const { staking, token } = deployment.contracts
    const [late, ...miners] = made.miners
    const subscription = (key: string) => deriveSubscriptionId(made.projectId, owner, key)
    await send(token, hubTokenAbi, 'mint', owner, 1_000n * unit)
    await send(token, hubTokenAbi, 'approve', staking, 1_000n * unit)
    for (const [i, { key }] of miners.entries())
      await send(staking, stakingAbi, 'bond', made.projectId, key, BigInt(i + 7) * unit)
    await send(staking, stakingAbi, 'setPayout', subscription(miners[1]!.key), payout)
    const target = beaconTargetTime(made.epoch, made.consensus.work.epoch_secs, params)
    const beacon = await mineAt(target - 1)
    await mineAt(target)
    await send(staking, stakingAbi, 'bond', made.projectId, late!.key, 9n * unit)
    await send(staking, stakingAbi, 'bond', made.projectId, miners[0]!.key, unit)
    const entries = miners.map(({ key }, i) => ({
      node_key: key,
      subscription_id: subscription(key),
      owner,
      payout_address: i === 1 ? payout : owner,
      collateral: String(BigInt(i + 7) * unit),
      reputation: 5_000,
      binding_hash: hashText(`binding ${i}`),
    }))
    const snapshot: Snapshot = {
      ...made.snapshot,
      beacon: {
        block_number: beacon.number,
        block_hash: beacon.hash,
        value: beaconValue(profile, beacon.hash),
      },
      entries: entries.sort((a, b) => (a.node_key < b.node_key ? -1 : 1)),
    }
    return { ...made, snapshot, setHash: hashSnapshot(snapshot) }
  }

  const start = async () => {
    const hub = await startTestHub(project)
    const coordinator = { public_key: ed25519PublicKey(coordinatorSeed) }
    const chain = { id: 31337, contracts: deployment.contracts }
    hub.show('/', descriptorOf(hub.origin, { coordinator, chain }))
    const [validator] = await createValidators(hub)
    return startKnowing(validator!, 4, ['--chain-rpc', anvil.url])
  }

  const pathsOf = ({ status, json }: Reply) => [
    status,
    json.details?.problems?.map(({ path }: { path: string }) => path),
  ]

  test('attests only what was bonded as of the beacon block', async () => {
    const node = await start()
    const { snapshot } = project
    const { beacon, entries } = snapshot
    const paidElsewhere = entries.findIndex((entry) => entry.payout_address === payout)
    const withEntry = (at: number, change: object) => ({
      ...snapshot,
      entries: entries.map((entry, i) => (i === at ? { ...entry, ...change } : entry)),
    })
    const withBeacon = ({ number, hash }: Mined) => ({
      ...snapshot,
      beacon: { block_number: number, block_hash: hash, value: beaconValue(profile, hash) },
    })
    const { key: lateKey } = project.miners[0]!
    const late = {
      ...entries[0]!,
      node_key: lateKey,
      subscription_id: deriveSubscriptionId(project.projectId, owner, lateKey),
    }
    const withLate = [...entries, late].sort((a, b) => (a.node_key < b.node_key ? -1 : 1))
    const lateAt = withLate.indexOf(late)
    const before = await blockAt(`0x${(beacon.block_number - 1).toString(16)}`)
    const after = await blockAt(`0x${(beacon.block_number + 1).toString(16)}`)
    const lies: [object, string[]][] = [
      [withEntry(0, { collateral: String(1_000n * unit) }), ['entries[0].collateral']],
      [withEntry(paidElsewhere, { payout_address: owner }), [`entries[${paidElsewhere}].payout_address`]],
      [
        { ...snapshot, entries: withLate },
        [`entries[${lateAt}].owner`, `entries[${lateAt}].collateral`, `entries[${lateAt}].payout_address`],
      ],
      [withBeacon(before), ['beacon.block_number']],
      [withBeacon(after), ['beacon.block_number']],
      [withBeacon({ ...after, hash: hashText('chosen') }), ['beacon.block_hash']],
    ]
    for (const [lie, paths] of lies)
      expect(pathsOf(await callSigned(node, '/consensus/committee-sets', lie))).toEqual([422, paths])
    const ahead = withBeacon({ ...after, number: 1_000_000 })
    expect((await callSigned(node, '/consensus/committee-sets', ahead)).status).toBe(503)
    expect((await callSigned(node, '/consensus/committee-sets', snapshot)).status).toBe(200)
  })

  test('503 if the hub does not name the contract that holds the collaterals', async () => {
    const hub = await startTestHub(project)
    const [validator] = await createValidators(hub)
    const node = await startKnowing(validator!, 4, ['--chain-rpc', anvil.url])
    const reply = await callSigned(node, '/consensus/committee-sets', project.snapshot)
    expect([reply.status, reply.json.message]).toEqual([503, expect.stringContaining('chain.contracts')])
  })

  test('503 if the chain does not answer, or is another one', async () => {
    const hub = await startTestHub(project)
    const [validator] = await createValidators(hub)
    for (const [rpc, reason] of [
      ['http://127.0.0.1:1', 'the chain does not answer'],
      [hub.origin, 'the chain cannot answer now'],
    ] as const) {
      const node = await startKnowing(validator!, 4, ['--chain-rpc', rpc])
      hub.show('/', descriptorOf(hub.origin, { chain: { id: 31337, contracts: deployment.contracts } }))
      const reply = await node.call('/consensus/committee-sets', { method: 'POST', body: project.snapshot })
      expect([reply.status, reply.json.message]).toEqual([503, expect.stringContaining(reason)])
      await node.stop()
    }
  })

  test('compares the audit block with the chain', async () => {
    const node = await start()
    expect((await callSigned(node, '/consensus/committee-sets', project.snapshot)).status).toBe(200)
    const round = createTestRound(project)
    const agreedAt = round.task.issued_at + 1
    const first = await mineAt(agreedAt + 1)
    const second = await mineAt(agreedAt + 2)
    // Whether it is audited its hash decides; without votes it is run in any case, which the hub has no module for.
    const ask = (audit_block: object) =>
      callSigned(node, '/consensus/task-rounds', finalityRequest({ ...round, votes: [] }, { audit_block }))
    const lies: [object, string][] = [
      [second, 'audit_block.number'],
      [{ ...first, hash: hashText('chosen') }, 'audit_block'],
      [{ ...first, timestamp: first.timestamp + 1 }, 'audit_block'],
    ]
    for (const [lie, path] of lies) expect(pathsOf(await ask(lie))).toEqual([422, [path]])
    expect((await ask({ ...first, number: 1_000_000 })).status).toBe(503)
    expect(pathsOf(await ask(first))).toEqual([422, ['module_address']])
  })

  test('reads current values that have not changed since, if the chain lacks the state of the beacon block', async () => {
    const { staking } = deployment.contracts
    const { block_number: block } = project.snapshot.beacon
    const [, changed, , kept] = project.miners.map(({ key }) =>
      deriveSubscriptionId(project.projectId, owner, key),
    )
    await anvil.rpc('anvil_mine', '0xc8')
    await expect(anvil.rpc('eth_call', { to: staking }, `0x${block.toString(16)}`)).rejects.toThrow()

    const { subscriptions } = chainFacts(chainRpc(anvil.url), 31337)
    expect(await subscriptions(staking, [kept!], block)).toEqual([
      { owner, isUnbonding: false, collateral: String(9n * unit), payout: owner },
    ])
    await expect(subscriptions(staking, [kept!, changed!], block)).rejects.toThrow(
      'the chain does not answer eth_call',
    )
  })
})
