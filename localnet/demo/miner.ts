import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createBindingRecord, parseBindingMessage } from '../../protocol/binding.ts'
import { signRequest } from '../../protocol/request-signing.ts'
import { sampleCollateralWei } from '../sample/manifest.ts'
import { call, until } from './calls.ts'
import type { Network } from './network.ts'
import { nodectl } from './nodectl.ts'
import { show, step } from './show.ts'
import { now, signAndRelay, signIn, type Wallet } from './wallet.ts'

interface Device {
  readonly nodeId: string
  readonly publicKey: string
  readonly seed: string
}

/** A miner comes, brings a device, stakes on the project, and leaves with the stake. */
export async function mine(network: Network, projectId: string, scratch: string): Promise<void> {
  step('A miner comes, and asks the faucet for tokens')
  const wallet = await signIn(network)
  const { json: drip } = await call(network.hub, 'POST', '/v1/faucet/drip', { token: wallet.token })
  show('·', `${BigInt(drip.amount) / 10n ** 18n} ${network.profile.token_symbol} on their way`)
  const device = await bindDevice(network, wallet, scratch)
  const subscription = await subscribe(network, wallet, device, projectId)
  await setPayout(network, wallet, subscription)
  await leave(network, wallet, subscription)
}

async function bindDevice({ hub, profile }: Network, wallet: Wallet, scratch: string): Promise<Device> {
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
  const { json: issued } = await call(hub, 'POST', '/v1/devices/binding-message', {
    json: { owner: wallet.address, public_key },
  })
  show('│', issued.message)
  const fields = parseBindingMessage(profile, issued.message)
  if (fields?.action !== 'bind' || fields.owner !== wallet.address || fields.public_key !== public_key)
    throw new Error('wallet and device refuse to sign this text')
  const record = createBindingRecord(profile, fields, { ownerKey: wallet.key, nodeSeed: device.seed })
  await call(hub, 'POST', '/v1/devices/bind', { json: record })
  await call(hub, 'GET', `/v1/bindings/${record.binding_hash}`)

  step('The device registers, says what it is, and that it is alive; each request carries its signature')
  const signed = async (method: string, target: string, json: unknown) => {
    const { headers } = signRequest(profile, device.seed, {
      method,
      target,
      body: JSON.stringify(json),
      timestamp: now(),
      nonce: randomBytes(16).toString('hex'),
    })
    await call(hub, method, target, { json, headers: { ...headers } })
  }
  await signed('POST', '/v1/nodes/register', {
    url: 'http://127.0.0.1:7700',
    role: 'miner',
    engine: 'native',
    nodectl_version: '1.0.0',
  })
  await signed('PUT', `/v1/devices/${node_id}/profile`, {
    class: 'server',
    platform: os.platform(),
    arch: os.arch(),
    engine: 'native',
    nodectl_version: '1.0.0',
    hardware: {
      cpu_cores: Math.max(2, os.availableParallelism()),
      ram_mb: Math.max(1024, Math.floor(os.totalmem() / 2 ** 20)),
      storage_free_mb: 10_000,
    },
  })
  await signed('POST', '/v1/nodes/heartbeat', { status: 'online' })
  await call(hub, 'GET', '/v1/me/devices', { token: wallet.token })
  return device
}

async function subscribe(
  network: Network,
  wallet: Wallet,
  { nodeId, publicKey }: Device,
  projectId: string,
): Promise<string> {
  const { hub } = network
  const { token, address } = wallet
  const amount = String(2n * sampleCollateralWei)
  step('Subscribe the device to the project')
  const { json: created } = await call(hub, 'POST', '/v1/subscriptions', {
    token,
    json: { project_id: projectId, node_id: nodeId, collateral: amount },
  })
  const { compatible, tier, match_bp, warnings } = created.compatibility
  show(
    '·',
    `compatible: ${compatible}, ${tier}, ${match_bp / 100} % met, warnings: ${warnings.join(', ') || 'none'}`,
  )
  const id: string = created.subscription.subscription_id

  step('Bond the collateral: one signature for the bond, one for the permit, no transaction')
  await until(hub, '/v1/me/collateral', (sum) => BigInt(sum.hub_balance) >= BigInt(amount), token)
  await signAndRelay(network, wallet, `/v1/subscriptions/${id}/bond`, created.bond, {
    owner: address,
    projectId,
    nodeKey: publicKey,
    amount,
  })
  await until(hub, `/v1/subscriptions/${id}`, ({ status }) => status === 'active')
  return id
}

async function setPayout(network: Network, wallet: Wallet, id: string): Promise<void> {
  const { hub } = network
  const { token, address: owner } = wallet
  const target = `/v1/subscriptions/${id}/payout`
  const elsewhere = `0x${randomBytes(20).toString('hex')}`
  for (const [title, payout] of [
    ['Send rewards to another address', elsewhere],
    ['And back to the wallet: null resets it', null],
  ] as const) {
    step(title)
    const { json: payload } = await call(hub, 'POST', target, { token, json: { payout_address: payout } })
    const wanted = { owner, subscriptionId: id, payout: payout ?? owner }
    await signAndRelay(network, wallet, target, payload, wanted)
    await until(hub, `/v1/subscriptions/${id}`, ({ payout_address }) => payout_address === wanted.payout)
  }
}

async function leave(network: Network, wallet: Wallet, id: string): Promise<void> {
  const { hub, passTime } = network
  const { token, address: owner } = wallet
  const path = `/v1/subscriptions/${id}`
  const wanted = { owner, subscriptionId: id }

  step('Unbond')
  const { json: payload } = await call(hub, 'POST', `${path}/unbond`, { token })
  await signAndRelay(network, wallet, `${path}/unbond`, payload, wanted)
  const { release_at } = await until(hub, path, ({ status }) => status === 'unbonding')
  await call(hub, 'POST', `${path}/withdraw`, { token, expect: 409 })
  const seconds = release_at - now()
  if (passTime === null) {
    show(
      '·',
      `the collateral is released in ${Math.ceil(seconds / 3600)} h; POST ${path}/withdraw takes it then`,
    )
    return
  }

  step('A day passes on the chain of this demo; withdraw')
  await passTime(seconds + 1)
  await until(hub, path, ({ status }) => status === 'withdrawable')
  const { json: offered } = await call(hub, 'POST', `${path}/withdraw`, { token })
  // The chain's clock is ahead of the hub's now: a signature has to last until after it.
  const deadline = String(release_at + 7200)
  const message = { ...offered.typed_data.message, deadline }
  const lasting = { ...offered, typed_data: { ...offered.typed_data, message } }
  await signAndRelay(network, wallet, `${path}/withdraw`, lasting, wanted)
  await until(hub, path, ({ status }) => status === 'closed')
  await call(hub, 'GET', '/v1/me/collateral', { token })
}
