import { passTime } from '../../localnet/pass-time.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import type { Task } from '../../protocol/rounds/index.ts'
import { type Evidence, hashEvidence } from '../../protocol/slashing/index.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import { equivocationOf } from '../equivocation.ts'
import type { Givens } from './given.ts'
import { madeOnce } from './made-once.ts'
import type { Stage } from './stage.ts'

type Subscribed = { readonly path: { subscription_id: string } }

const working = (stage: Stage) => madeOnce(stage, 'bonded', stage.bonded)
const ofWorking = async (stage: Stage) => ({ token: stage.miner.token, path: (await working(stage)).path })

const act = async (stage: Stage, action: 'unbond' | 'withdraw', { path }: Subscribed) => {
  await stage.allMined()
  const operation = `POST /v1/subscriptions/{subscription_id}/${action}` as const
  return stage.signed(stage.miner, (await stage.miner.client.call(operation, { path })) as never)
}

/** Two whose unbonding is over. */
const unbonded = (stage: Stage) =>
  madeOnce(stage, 'unbonded', async () => {
    const devices = [await stage.bonded(), await stage.bonded()]
    for (const { path } of devices) {
      const body = await act(stage, 'unbond', { path })
      await stage.miner.client.call('POST /v1/subscriptions/{subscription_id}/unbond', { path, body })
    }
    const [, last] = [
      await stage.statusOf(devices[0]!, 'unbonding'),
      await stage.statusOf(devices[1]!, 'unbonding'),
    ]
    const left = Number(last.release_at) - (await stage.network.now())
    await passTime(stage.network, stage.backstage.rpcUrl, left + 1)
    return devices
  })

/** Two votes of a device for one task. */
async function evidenceOf(stage: Stage): Promise<Evidence> {
  const { seed, subscriptionId } = await stage.bonded()
  const { projectId, manifest, profile, epochSecs } = stage
  const { consensus_hash } = manifest
  const epoch = await stage.epochOf()
  const task: Task = {
    ...{ v: 1, project_id: projectId, consensus_hash, epoch, seq: 1, set_hash: hashText('set') },
    ...{ module_address: hashText('module'), function: 'echo', input_hash: hashText('input') },
    ...{ gas_limit: 1_000_000, issued_at: epoch * epochSecs },
  }
  return equivocationOf(profile, task, { nodeSeed: seed, subscriptionId, payout: stage.miner.address })
}

async function slash(stage: Stage) {
  const body = await evidenceOf(stage)
  await stage.client.call('POST /v1/slashes', { body: body as never })
  const path = { evidence_hash: hashEvidence(body) }
  await waitFor(
    'the slash to be proposed',
    () => stage.client.call('GET /v1/slashes/{evidence_hash}', { path }),
    ({ status }) => status === 'proposed',
  )
  return path
}

/** Values for the sample that needs the end of an unbonding: it moves the time. */
export const withdrawalGivens = {
  withdraw: async (stage, { turn }) => {
    const { path } = (await unbonded(stage))[turn]!
    return { token: stage.miner.token, path, body: await act(stage, 'withdraw', { path }) }
  },
} satisfies Givens

/** Values for the samples about subscriptions, collateral and slashes, in which the miner signs one action after the other. */
export const stakingGivens = {
  createSubscription: async ({ newDevice, miner, projectId, minCollateral }) => ({
    token: miner.token,
    body: { project_id: projectId, node_id: (await newDevice()).nodeId, collateral: minCollateral },
  }),
  createSubscriptions: async ({ newDevice, miner, projectId, minCollateral }) => ({
    token: miner.token,
    body: {
      items: [{ project_id: projectId, node_id: (await newDevice()).nodeId, collateral: minCollateral }],
    },
  }),
  getSubscription: ({ device }) => ({ path: { subscription_id: device.subscriptionId } }),
  getDiagnosis: ({ device }) => ({ path: { subscription_id: device.subscriptionId } }),
  getBondPayload: ofWorking,
  bond: async (stage) => {
    const { bond, path } = await stage.pending()
    await stage.allMined()
    return { token: stage.miner.token, path, body: await stage.signed(stage.miner, bond as never) }
  },
  bondBatch: async (stage) => {
    const { path } = await stage.pending()
    await stage.allMined()
    const payload = await stage.miner.client.call('POST /v1/subscriptions/batch/bond', {
      body: { items: [{ ...path, amount: stage.minCollateral }] },
    })
    return { token: stage.miner.token, body: await stage.signed(stage.miner, payload as never) }
  },
  pauseSubscription: async (stage) => {
    const given = await ofWorking(stage)
    await stage.miner.client.call('POST /v1/subscriptions/{subscription_id}/resume', given).catch(() => {})
    return given
  },
  resumeSubscription: async (stage) => {
    const given = await ofWorking(stage)
    await stage.miner.client.call('POST /v1/subscriptions/{subscription_id}/pause', given).catch(() => {})
    return given
  },
  setPayout: async (stage) => {
    const { path } = await working(stage)
    await stage.allMined()
    const { address } = await stage.newWallet()
    const payload = await stage.miner.client.call('POST /v1/subscriptions/{subscription_id}/payout', {
      path,
      body: { payout_address: address },
    })
    return { token: stage.miner.token, path, body: await stage.signed(stage.miner, payload as never) }
  },
  unbond: async (stage) => {
    const { path } = await stage.bonded()
    return { token: stage.miner.token, path, body: await act(stage, 'unbond', { path }) }
  },
  createSlash: async (stage) => ({ body: await evidenceOf(stage) }),
  getSlash: async (stage) => ({ path: await madeOnce(stage, 'slash', () => slash(stage)) }),
  disputeSlash: async (stage) => ({ token: stage.miner.token, path: await slash(stage) }),
  resolveSlash: async (stage) => ({ token: stage.operator.token, path: await slash(stage) }),
} satisfies Givens
