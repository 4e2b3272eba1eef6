import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createBindingRecord, parseBindingMessage, signRequest } from '../../protocol/identity/index.ts'
import { sampleCollateralWei } from '../sample/manifest.ts'
import { done, refused, until } from './calls.ts'
import type { Network } from './network.ts'
import { nodectl } from './nodectl.ts'
import { show, step } from './show.ts'
import { now, type SignedBody, signAndRelay, signIn, type Wallet } from './wallet.ts'

interface Device {
  readonly nodeId: string
  readonly publicKey: string
  readonly seed: string
}

/** A miner comes, brings a device, stakes on the project, and takes the stake out again. */
export async function mine(network: Network, projectId: string, scratch: string): Promise<void> {
  step('A miner comes, and asks the faucet for tokens')
  const wallet = await signIn(network)
  const drip = await done(wallet.hub.shown.POST('/v1/faucet/drip'))
  show('·', `${BigInt(drip.amount) / 10n ** 18n} ${network.profile.token_symbol} on their way`)
  const device = await bindDevice(network, wallet, scratch)
  const subscription = await subscribe(network, wallet, device, projectId)
  await setPayout(network, wallet, subscription)
  await leave(network, wallet, subscription)
}

async function bindDevice({ open, profile }: Network, wallet: Wallet, scratch: string): Promise<Device> {
  step('Make a key for a device with nodectl')
  const folder = path.join(scratch, 'device')
  const { key_file, node_id, public_key } = JSON.parse(nodectl('keygen', '--data-dir', folder))
  const device = {
    nodeId: node_id,
    publicKey: public_key,
    seed: `0x${readFileSync(key_file, 'utf8').trim()}`,
  }
  show('·', `device ${node_id}`)

  step('Bind the device to the wallet: both sign one text')
  const { message } = await done(
    open.shown.POST('/v1/devices/binding-message', { body: { owner: wallet.address, public_key } }),
  )
  show('│', message)
  const fields = parseBindingMessage(profile, message)
  if (fields?.action !== 'bind' || fields.owner !== wallet.address || fields.public_key !== public_key)
    throw new Error('wallet and device refuse to sign this text')
  const record = createBindingRecord(profile, fields, { ownerKey: wallet.key, nodeSeed: device.seed })
  await done(open.shown.POST('/v1/devices/bind', { body: record }))
  await done(
    open.shown.GET('/v1/bindings/{binding_hash}', {
      params: { path: { binding_hash: record.binding_hash } },
    }),
  )

  step('The device registers, says what it is, and that it is alive; each request carries its signature')
  const signed = <Body>(method: string, target: string, body: Body) => {
    const { headers } = signRequest(profile, device.seed, {
      method,
      target,
      body: JSON.stringify(body),
      timestamp: now(),
      nonce: randomBytes(16).toString('hex'),
    })
    return { headers, body }
  }
  const registration = {
    url: 'http://127.0.0.1:7700',
    role: 'miner' as const,
    engine: 'native' as const,
    nodectl_version: '1.0.0',
  }
  await done(open.shown.POST('/v1/nodes/register', signed('POST', '/v1/nodes/register', registration)))
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
  await done(
    open.shown.PUT('/v1/devices/{node_id}/profile', {
      params: { path: { node_id } },
      ...signed('PUT', `/v1/devices/${node_id}/profile`, described),
    }),
  )
  await done(
    open.shown.POST(
      '/v1/nodes/heartbeat',
      signed('POST', '/v1/nodes/heartbeat', { status: 'online' as const }),
    ),
  )
  await done(wallet.hub.shown.GET('/v1/me/devices'))
  return device
}

async function subscribe(
  network: Network,
  wallet: Wallet,
  { nodeId, publicKey }: Device,
  projectId: string,
): Promise<string> {
  const { hub, address } = wallet
  const amount = String(2n * sampleCollateralWei)
  step('Subscribe the device to the project')
  const { subscription, bond, compatibility } = await done(
    hub.shown.POST('/v1/subscriptions', {
      body: { project_id: projectId, node_id: nodeId, collateral: amount },
    }),
  )
  const { compatible, tier, match_bp, warnings } = compatibility
  show(
    '·',
    `compatible: ${compatible}, ${tier}, ${match_bp / 100} % met, warnings: ${warnings.join(', ') || 'none'}`,
  )
  const { subscription_id } = subscription
  const params = { path: { subscription_id } }

  step('Bond the collateral: one signature for the bond, one for the permit, no transaction')
  await until(
    () => hub.silent.GET('/v1/me/collateral'),
    ({ hub_balance }) => BigInt(hub_balance ?? 0) >= BigInt(amount),
  )
  const wanted = { owner: address, projectId, nodeKey: publicKey, amount }
  await signAndRelay(network, wallet, bond, wanted, (body) =>
    done(hub.shown.POST('/v1/subscriptions/{subscription_id}/bond', { params, body })),
  )
  await until(
    () => hub.silent.GET('/v1/subscriptions/{subscription_id}', { params }),
    ({ status }) => status === 'active',
  )
  return subscription_id
}

async function setPayout(network: Network, wallet: Wallet, subscriptionId: string): Promise<void> {
  const { hub, address: owner } = wallet
  const params = { path: { subscription_id: subscriptionId } }
  const elsewhere = `0x${randomBytes(20).toString('hex')}`
  for (const [title, payout] of [
    ['Send rewards to another address', elsewhere],
    ['And back to the wallet: null resets it', null],
  ] as const) {
    step(title)
    const post = (body: SignedBody | { payout_address: string | null }) =>
      done(hub.shown.POST('/v1/subscriptions/{subscription_id}/payout', { params, body }))
    const wanted = { owner, subscriptionId, payout: payout ?? owner }
    await signAndRelay(network, wallet, requirePayload(await post({ payout_address: payout })), wanted, post)
    await until(
      () => hub.silent.GET('/v1/subscriptions/{subscription_id}', { params }),
      ({ payout_address }) => payout_address === wanted.payout,
    )
  }
}

/** The first of two steps answers with what is to be signed. */
function requirePayload<T extends object>(answer: T): Extract<T, { typed_data: unknown }> {
  if (!('typed_data' in answer)) throw new Error('the hub did not answer with a payload to sign')
  return answer as Extract<T, { typed_data: unknown }>
}

async function leave(network: Network, wallet: Wallet, subscriptionId: string): Promise<void> {
  const { hub, address: owner } = wallet
  const params = { path: { subscription_id: subscriptionId } }
  const wanted = { owner, subscriptionId }
  const unbond = (body?: SignedBody) =>
    done(hub.shown.POST('/v1/subscriptions/{subscription_id}/unbond', { params, ...(body && { body }) }))
  const withdraw = (body?: SignedBody) =>
    hub.shown.POST('/v1/subscriptions/{subscription_id}/withdraw', { params, ...(body && { body }) })
  const untilIt = (is: string) =>
    until(
      () => hub.silent.GET('/v1/subscriptions/{subscription_id}', { params }),
      ({ status }) => status === is,
    )

  step('Unbond')
  await signAndRelay(network, wallet, requirePayload(await unbond()), wanted, unbond)
  const { release_at } = await untilIt('unbonding')
  await refused(withdraw(), 409)
  const seconds = (release_at ?? 0) - now()
  if (network.passTime === null) {
    const hours = Math.ceil(seconds / 3600)
    show('·', `the collateral is released in ${hours} h; POST …/withdraw takes it then`)
    return
  }

  step('Three days pass on the chain of this demo; withdraw')
  await network.passTime(seconds + 1)
  await untilIt('withdrawable')
  const { typed_data } = requirePayload(await done(withdraw()))
  // The chain's clock is ahead of the hub's now: a signature has to last until after it.
  const deadline = String((release_at ?? 0) + 7200)
  const lasting = { typed_data: { ...typed_data, message: { ...typed_data.message, deadline } } }
  await signAndRelay(network, wallet, lasting, wanted, (body) => done(withdraw(body)))
  await untilIt('closed')
  await done(hub.shown.GET('/v1/me/collateral'))
}
