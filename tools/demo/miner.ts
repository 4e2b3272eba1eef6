import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { sampleCollateralWei } from '../../localnet/sample/manifest.ts'
import type { TemporaryNetwork } from '../../localnet/temporary-network.ts'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { createBindingRecord, parseBindingMessage } from '../../protocol/identity/index.ts'
import { unwrap } from '../client/answers.ts'
import { HubError } from '../client/connect.ts'
import type { Network } from '../client/network.ts'
import { signedByNode } from '../client/node-requests.ts'
import type { SignedBody } from '../client/relay.ts'
import type { Wallet } from '../client/sign-in.ts'
import { print, printStep } from '../print.ts'
import { expectRefusal, printedRelay, printedSignIn, unprinted, waitForRecord } from '../printed-calls.ts'
import { nodectl } from './nodectl.ts'

/** Lets time pass in the network; null where others use it too. */
export type PassTime = TemporaryNetwork['passTime'] | null

interface Device {
  readonly nodeId: string
  readonly publicKey: string
  readonly seed: string
}

/** A miner comes, brings a device, stakes on the project, and takes the stake out again. */
export async function mine(
  network: Network,
  passTime: PassTime,
  projectId: string,
  scratch: string,
): Promise<void> {
  printStep('A miner comes, and asks the faucet for tokens')
  const wallet = await printedSignIn(network, bytesToHex(randomBytes(32)))
  const drip = await unwrap(wallet.client.POST('/v1/faucet/drip'))
  print('·', `${BigInt(drip.amount) / 10n ** 18n} ${network.profile.token_symbol} on their way`)
  const device = await bindDevice(network, wallet, scratch)
  const subscription = await subscribe(network, wallet, device, projectId)
  await setPayout(network, wallet, subscription)
  await leave(network, passTime, wallet, subscription)
}

async function bindDevice(network: Network, wallet: Wallet, scratch: string): Promise<Device> {
  const { hub, client, profile } = network
  printStep('Make a key for a device with nodectl')
  const folder = path.join(scratch, 'device')
  const { key_file, node_id, public_key } = JSON.parse(nodectl('keygen', '--data-dir', folder))
  const device = {
    nodeId: node_id,
    publicKey: public_key,
    seed: `0x${readFileSync(key_file, 'utf8').trim()}`,
  }
  print('·', `device ${node_id}`)

  printStep('Bind the device to the wallet: both sign one text')
  const { message } = await unwrap(
    client.POST('/v1/devices/binding-message', { body: { owner: wallet.address, public_key } }),
  )
  print('│', message)
  const fields = parseBindingMessage(profile, message)
  if (fields?.action !== 'bind' || fields.owner !== wallet.address || fields.public_key !== public_key)
    throw new HubError('wallet and device refuse to sign this text')
  const record = createBindingRecord(profile, fields, { ownerKey: wallet.key, nodeSeed: device.seed })
  await unwrap(client.POST('/v1/devices/bind', { body: record }))
  await unwrap(
    client.GET('/v1/bindings/{binding_hash}', {
      params: { path: { binding_hash: record.binding_hash } },
    }),
  )

  printStep('The device registers, says what it is, and that it is alive; each request carries its signature')
  const signed = signedByNode(network, device.seed)
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
  return device
}

async function subscribe(
  network: Network,
  wallet: Wallet,
  { nodeId, publicKey }: Device,
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

async function leave(
  network: Network,
  passTime: PassTime,
  wallet: Wallet,
  subscriptionId: string,
): Promise<void> {
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
  const seconds = (release_at ?? 0) - (await network.now())
  if (passTime === null) {
    const hours = Math.ceil(seconds / 3600)
    print('·', `the collateral is released in ${hours} h; POST …/withdraw takes it then`)
    return
  }

  printStep('Three days pass in the network of this demo; withdraw')
  await passTime(seconds + 1)
  await waitForStatus('withdrawable')
  const payload = requirePayload(await unwrap(withdraw()))
  await printedRelay(network, wallet, payload, wanted, (body) => unwrap(withdraw(body)))
  await waitForStatus('closed')
  await unwrap(client.GET('/v1/me/collateral'))
}
