import { generatePrivateKey } from 'viem/accounts'
import { createBindingRecord } from '../../protocol/identity/index.ts'
import type { Wallet } from '../../scripts/hub/wallet.ts'
import { keyWallet } from '../../sdk/key-wallet.ts'
import type { Givens } from './given.ts'
import { madeOnce } from './made-once.ts'
import type { Stage } from './stage.ts'

const receiver = 'https://receiver.example.com/hub'

async function newWebhook({ newWallet }: Stage) {
  const { client, token } = await newWallet()
  const { webhook_id } = await client.call('POST /v1/me/webhooks', {
    body: { url: receiver, types: ['round.finalized'] },
  })
  return { client, token, path: { webhook_id } }
}

const someWebhook = (stage: Stage) => madeOnce(stage, 'webhook', () => newWebhook(stage))

const newDelivery = async (stage: Stage) => {
  const { client, token, path } = await someWebhook(stage)
  const { delivery_id } = await client.call('POST /v1/me/webhooks/{webhook_id}/test', { path })
  return { token, path: { ...path, delivery_id } }
}

const newGroup = async ({ miner: { client, token }, device }: Stage) => {
  const body = { name: 'Office', node_ids: [device.nodeId] }
  const { group_id } = await client.call('POST /v1/me/device-groups', { body })
  return { token, path: { group_id }, body }
}

/** One of a device that is new, or is bound already. */
async function binding(
  { network, newSeed, newDevice, miner, profile, deviceOf }: Stage,
  action: 'bind' | 'unbind',
) {
  const { seed, publicKey } = action === 'bind' ? deviceOf(newSeed()) : await newDevice()
  const nonce = crypto.randomUUID().replaceAll('-', '')
  return createBindingRecord(
    profile,
    { action, owner: miner.address, public_key: publicKey, issued_at: await network.now(), nonce },
    { ownerKey: miner.key, nodeKey: action === 'bind' ? seed : null },
  )
}

/** A host that hubs let wallets sign in to. */
const domainOf = ({ network }: Stage) => new URL(network.hub).host

const ofNewWallet = async ({ newWallet }: Stage) => ({ token: (await newWallet()).token })
const ofWallet = (stage: Stage) => madeOnce(stage, 'wallet', () => ofNewWallet(stage))

/** Values for the samples about a wallet: sign-in, notices, devices. */
export const accountGivens = {
  createNonce: (stage) => ({
    body: { address: stage.miner.address, domain: domainOf(stage) },
  }),
  exchangeSiwe: async (stage) => {
    const wallet = keyWallet(generatePrivateKey())
    const { message } = await stage.client.call('POST /v1/auth/nonce', {
      body: { address: wallet.address, domain: domainOf(stage) },
    })
    return { body: { message, signature: await wallet.signMessage({ message }) } }
  },
  logout: ofNewWallet,
  drip: ofNewWallet,
  putPreferences: ofWallet,
  markNotificationsRead: ofWallet,
  createWebhook: async (stage) => ({
    ...(await ofWallet(stage)),
    body: { url: receiver, types: ['round.finalized'], project_ids: [stage.projectId] },
  }),
  getWebhook: someWebhook,
  updateWebhook: someWebhook,
  deleteWebhook: newWebhook,
  testWebhook: someWebhook,
  createWebhookSecret: someWebhook,
  listWebhookDeliveries: someWebhook,
  redeliverWebhook: newDelivery,

  bindDevice: async (stage) => ({ body: await binding(stage, 'bind') }),
  unbindDevice: async (stage) => ({ body: await binding(stage, 'unbind') }),
  createBindingMessage: () => ({}),
  getBinding: async (stage) => {
    const body = await binding(stage, 'bind')
    await stage.client.call('POST /v1/devices/bind', { body })
    return { path: { binding_hash: body.binding_hash } }
  },
  getDevice: ({ device }) => ({ path: { node_id: device.nodeId } }),
  getDeviceWork: ({ device }) => ({ path: { node_id: device.nodeId } }),
  updateDevice: async ({ newDevice, miner }) => ({
    token: miner.token,
    path: { node_id: (await newDevice()).nodeId },
  }),
  putDeviceProfile: async ({ newDevice, network }, { example }) => {
    const { seed, nodeId } = await newDevice()
    const { benchmark, ...profile } = example as { benchmark: object }
    // The example is of another day.
    const body = { ...profile, benchmark: { ...benchmark, ran_at: await network.now() } }
    return { key: seed, path: { node_id: nodeId }, body }
  },
  createDeviceGroup: ({ miner, device }) => ({
    token: miner.token,
    body: { name: `Office ${crypto.randomUUID().slice(0, 8)}`, node_ids: [device.nodeId] },
  }),
  putDeviceGroup: newGroup,
  deleteDeviceGroup: newGroup,
} satisfies Givens

export const tokenOf = ({ token }: Wallet) => ({ token })
