import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { makeDevice, waitForBond } from '../../localnet/sample/devices.ts'
import { sampleCollateralWei } from '../../localnet/sample/manifest.ts'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { createBindingRecord, parseBindingMessage } from '../../protocol/identity/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import { HubError } from '../../sdk/connect.ts'
import type { Network } from '../../sdk/network.ts'
import { signedByNode } from '../../sdk/node-requests.ts'
import { type SignedBody, signAndRelay } from '../../sdk/relay.ts'
import { signIn, type Wallet } from '../../sdk/sign-in.ts'
import { inTokens } from '../amounts.ts'
import { print, printStep } from '../print.ts'
import { expectRefusal, printedRelay, printedSignIn, unprinted, waitForRecord } from '../printed-calls.ts'
import { isMovable, passUntil, type Stage } from './stage.ts'

/** A device with its key, and its subscription to the project of the demo. */
export interface Device {
  readonly nodeId: string
  readonly publicKey: string
  readonly seed: string
  readonly dataDir: string
  readonly subscriptionId: string
}

export interface Miner {
  readonly wallet: Wallet
  /** The first of them is the one that the demo follows. */
  readonly devices: readonly [Device, ...Device[]]
}

type Key = Omit<Device, 'subscriptionId'>

/** As many as the smallest committee has. */
const furtherDevices = ['2', '3']

/** A miner comes, brings a device, stakes on the project, and says where rewards go. */
export async function joinAsMiner(stage: Stage, projectId: string): Promise<Miner> {
  const { network } = stage
  printStep('A miner comes, and asks the faucet for tokens')
  const wallet = await printedSignIn(network, bytesToHex(randomBytes(32)))
  const drip = await unwrap(wallet.client.POST('/v1/faucet/drip'))
  print('·', `${inTokens(network, drip.amount)} on their way`)
  printStep('Make a key for a device with nodectl')
  const key = await makeKey(stage, 'device-1')
  print('·', `device ${key.nodeId}`)
  await bindDevice(network, wallet, key)
  const subscriptionId = await subscribe(network, wallet, key, projectId)
  await setPayout(network, wallet, subscriptionId)
  return { wallet, devices: [{ ...key, subscriptionId }] }
}

/** The miner brings as many devices as the smallest committee has. */
export async function bringFurtherDevices(
  stage: Stage,
  { wallet, devices }: Miner,
  projectId: string,
): Promise<Miner> {
  printStep('Two more devices of the miner come in the same way: the smallest committee has three')
  const { quiet } = stage
  const quietWallet = await signIn(quiet, wallet.key)
  const further: Device[] = []
  // One after the other: an owner has one bond under way at a time.
  for (const name of furtherDevices) {
    const key = await makeKey(stage, `device-${name}`)
    await makeDevice(quiet, quietWallet, key.dataDir)
    further.push({ ...key, subscriptionId: await bondQuietly(quiet, quietWallet, key, projectId) })
    print('=', `device ${key.nodeId} has ${inTokens(quiet, sampleCollateralWei)} in the project`)
  }
  return { wallet, devices: [...devices, ...further] }
}

/** Subscribes a device and bonds the least collateral for it by signature, without a word. */
async function bondQuietly(
  quiet: Network,
  wallet: Wallet,
  { nodeId, publicKey }: Key,
  projectId: string,
): Promise<string> {
  const amount = String(sampleCollateralWei)
  const { subscription, bond } = await unwrap(
    wallet.client.POST('/v1/subscriptions', {
      body: { project_id: projectId, node_id: nodeId, collateral: amount },
    }),
  )
  const { subscription_id } = subscription
  const params = { path: { subscription_id } }
  const wanted = { owner: wallet.address, projectId, nodeKey: publicKey, amount }
  await signAndRelay(quiet, wallet, bond, wanted, (body) =>
    unwrap(wallet.client.POST('/v1/subscriptions/{subscription_id}/bond', { params, body })),
  )
  await waitForBond(wallet, projectId, { nodeId, publicKey })
  return subscription_id
}

async function makeKey({ nodectl, scratch }: Stage, name: string): Promise<Key> {
  const dataDir = path.join(scratch, name)
  const { key_file, node_id, public_key } = JSON.parse(await nodectl('keygen', '--data-dir', dataDir))
  const seed = `0x${readFileSync(key_file, 'utf8').trim()}`
  return { nodeId: node_id, publicKey: public_key, seed, dataDir }
}

async function bindDevice(network: Network, wallet: Wallet, key: Key): Promise<void> {
  const { hub, client, profile } = network
  const { nodeId: node_id, publicKey: public_key, seed } = key
  printStep('Bind the device to the wallet: both sign one text')
  const { message } = await unwrap(
    client.POST('/v1/devices/binding-message', { body: { owner: wallet.address, public_key } }),
  )
  print('│', message)
  const fields = parseBindingMessage(profile, message)
  if (fields?.action !== 'bind' || fields.owner !== wallet.address || fields.public_key !== public_key)
    throw new HubError('wallet and device refuse to sign this text')
  const record = createBindingRecord(profile, fields, { ownerKey: wallet.key, nodeSeed: seed })
  await unwrap(client.POST('/v1/devices/bind', { body: record }))
  await unwrap(
    client.GET('/v1/bindings/{binding_hash}', {
      params: { path: { binding_hash: record.binding_hash } },
    }),
  )

  printStep('The device registers, says what it is, and that it is alive; each request carries its signature')
  const signed = signedByNode(network, seed)
  const registration = {
    hub,
    network: profile.network,
    url: 'http://127.0.0.1:7700',
    role: 'miner' as const,
    engine: 'native' as const,
    nodectl_version: '1.0.0',
  }
  await unwrap(client.POST('/v1/nodes/register', await signed('POST', '/v1/nodes/register', registration)))
  const described = {
    class: 'server' as const,
    platform: os.platform(),
    arch: os.arch(),
    engine: 'native' as const,
    nodectl_version: '1.0.0',
    hardware: {
      cpu_cores: Math.max(2, os.availableParallelism()),
      ram_mb: Math.max(1024, Math.floor(os.totalmem() / 2 ** 20)),
      storage_free_mb: 10_000,
    },
  }
  await unwrap(
    client.PUT('/v1/devices/{node_id}/profile', {
      params: { path: { node_id } },
      ...(await signed('PUT', `/v1/devices/${node_id}/profile`, described)),
    }),
  )
  await unwrap(
    client.POST(
      '/v1/nodes/heartbeat',
      await signed('POST', '/v1/nodes/heartbeat', { status: 'online' as const }),
    ),
  )
  await unwrap(wallet.client.GET('/v1/me/devices'))
}

async function subscribe(
  network: Network,
  wallet: Wallet,
  { nodeId, publicKey }: Key,
  projectId: string,
): Promise<string> {
  const { client, address } = wallet
  const amount = String(2n * sampleCollateralWei)
  printStep('Subscribe the device to the project')
  const { subscription, bond, compatibility } = await unwrap(
    client.POST('/v1/subscriptions', {
      body: { project_id: projectId, node_id: nodeId, collateral: amount },
    }),
  )
  const { compatible, tier, match_bp, warnings } = compatibility
  print(
    '·',
    `compatible: ${compatible}, ${tier}, ${match_bp / 100} % met, warnings: ${warnings.join(', ') || 'none'}`,
  )
  const { subscription_id } = subscription
  const params = { path: { subscription_id } }

  printStep('Bond the collateral: one signature for the bond, one for the permit, no transaction')
  await waitForRecord(
    'the tokens to arrive',
    () => client.GET('/v1/me/collateral', unprinted),
    ({ hub_balance }) => BigInt(hub_balance ?? 0) >= BigInt(amount),
  )
  const wanted = { owner: address, projectId, nodeKey: publicKey, amount }
  await printedRelay(network, wallet, bond, wanted, (body) =>
    unwrap(client.POST('/v1/subscriptions/{subscription_id}/bond', { params, body })),
  )
  await waitForRecord(
    'the bond to be indexed',
    () => client.GET('/v1/subscriptions/{subscription_id}', { params, ...unprinted }),
    ({ status }) => status === 'active',
  )
  return subscription_id
}

async function setPayout(network: Network, wallet: Wallet, subscriptionId: string): Promise<void> {
  const { client, address: owner } = wallet
  const params = { path: { subscription_id: subscriptionId } }
  const elsewhere = `0x${randomBytes(20).toString('hex')}`
  for (const [title, payout] of [
    ['Send rewards to another address', elsewhere],
    ['And back to the wallet: null resets it', null],
  ] as const) {
    printStep(title)
    const post = (body: SignedBody | { payout_address: string | null }) =>
      unwrap(client.POST('/v1/subscriptions/{subscription_id}/payout', { params, body }))
    const wanted = { owner, subscriptionId, payout: payout ?? owner }
    await printedRelay(network, wallet, requirePayload(await post({ payout_address: payout })), wanted, post)
    await waitForRecord(
      'the payout address to be indexed',
      () => client.GET('/v1/subscriptions/{subscription_id}', { params, ...unprinted }),
      ({ payout_address }) => payout_address === wanted.payout,
    )
  }
}

/** The first of two steps answers with what is to be signed. */
function requirePayload<T extends object>(answer: T): Extract<T, { typed_data: unknown }> {
  if (!('typed_data' in answer)) throw new HubError('the hub did not answer with a payload to sign')
  return answer as Extract<T, { typed_data: unknown }>
}

/** The first device leaves the project, with its stake. */
export async function leave(stage: Stage, { wallet, devices }: Miner): Promise<void> {
  const { network } = stage
  const [{ subscriptionId }] = devices
  const { client, address: owner } = wallet
  const params = { path: { subscription_id: subscriptionId } }
  const wanted = { owner, subscriptionId }
  const unbond = (body?: SignedBody) =>
    unwrap(client.POST('/v1/subscriptions/{subscription_id}/unbond', { params, ...(body && { body }) }))
  const withdraw = (body?: SignedBody) =>
    client.POST('/v1/subscriptions/{subscription_id}/withdraw', { params, ...(body && { body }) })
  const waitForStatus = (expected: string) =>
    waitForRecord(
      `the subscription to be ${expected}`,
      () => client.GET('/v1/subscriptions/{subscription_id}', { params, ...unprinted }),
      ({ status }) => status === expected,
    )

  printStep('Unbond')
  await printedRelay(network, wallet, requirePayload(await unbond()), wanted, unbond)
  const { release_at } = await waitForStatus('unbonding')
  await expectRefusal(withdraw(), 409)
  const releaseAt = release_at ?? 0
  if (!isMovable(stage)) {
    const hours = Math.ceil((releaseAt - (await network.now())) / 3600)
    print('·', `the collateral is released in ${hours} h; POST …/withdraw takes it then`)
    return
  }

  printStep('Three days pass in the network; withdraw')
  await passUntil(stage, releaseAt + 1)
  await waitForStatus('withdrawable')
  const payload = requirePayload(await unwrap(withdraw()))
  await printedRelay(network, wallet, payload, wanted, (body) => unwrap(withdraw(body)))
  await waitForStatus('closed')
  await unwrap(client.GET('/v1/me/collateral'))
}
