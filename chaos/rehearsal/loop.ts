import path from 'node:path'
import { waitForSet } from '../../localnet/nodes/ready.ts'
import { sampleCollateralWei } from '../../localnet/sample/manifest.ts'
import { epochStart } from '../../protocol/committees/index.ts'
import { attemptStart } from '../../protocol/earnings/index.ts'
import { networkParamsOf } from '../../protocol/identity/index.ts'
import { readEconomics } from '../../scripts/hub/network.ts'
import type { Payload, Wallet } from '../../scripts/hub/wallet.ts'
import { signIn } from '../../scripts/hub/wallet.ts'
import type { SignedBody } from '../../sdk/actions.ts'
import { keyWallet } from '../../sdk/key-wallet.ts'
import type { SignableData } from '../../sdk/wallets.ts'
import { endChild, startDishonest } from '../../tools/demo/cluster.ts'
import { Difference } from '../harness/difference.ts'
import { delay, until } from '../harness/time.ts'
import { waitForClocks } from '../network/clocks.ts'
import { followTask, giveTask, isHonest } from '../network/echo-tasks.ts'
import { readSlashes } from '../network/explorer.ts'
import type { Miner, NodeNetwork } from '../network/node-network.ts'
import { type Course, plainCourse } from './course.ts'

export interface LoopPlan {
  /** Tasks of the epoch that is paid. */
  readonly tasks: number
  /** Blocks that each reorganisation takes; one comes before each task, and one with each action of an owner. */
  readonly depths: readonly number[]
  /**
   * Whether the chain stops to finalise for a while, and it all goes on to payouts, slashes and the end of a stake; otherwise it
   * ends with an epoch that is posted and slashes that are proposed.
   */
  readonly isWhole: boolean
}

/** Time that the contracts add to the window, for disputes that were sent in time. */
const graceSecs = 15 * 60
/** Tasks in which the miner that lies does so. */
const lies = 2
const deepSecs = 120
/** For the calls of a hub that has nothing to do. */
const restSlots = 60
const taskLimitMs = 300_000
const pollMs = 250

type Say = (text: string) => void

/** Tasks, an epoch that is paid, claims, slashes and the end of a stake, of a network with two honest miners and a third. */
export async function runLoop(network: NodeNetwork, course: Course, plan: LoopPlan, say: Say): Promise<void> {
  const { network: hub, projectId, miners, owner, pass, time } = network
  const params = networkParamsOf(hub.profile.chain_id)
  const { epoch_secs: epochSecs } = await readEconomics(hub.client, projectId)
  const loop = { network, course, say, depths: [...plan.depths] }
  const [first, , third] = miners as [Miner, Miner, Miner]
  const passUntil = (at: number) => pass(at - time())

  await third.node.stop()
  const logs = path.join(network.folder, 'logs')
  const liar = await startDishonest(
    'lies',
    third.node.plan.dataDir,
    { hub: hub.hub, dist: network.dist },
    logs,
  )
  try {
    // No reorganisation then reaches the transactions that people sent themselves.
    await pass(deepSecs)
    course.begin()
    say('A miner adds to its stake by signature')
    await actOf(loop, owner, first, 'bond', String(sampleCollateralWei / 10n))

    const epoch = firstWorkEpoch(network, params.beacon_offset_secs, epochSecs)
    await passUntil(epochStart(epoch, epochSecs) + 60)
    await course.during(waitForSet(hub.hub, projectId))
    await waitForClocks(network)
    say(`Epoch ${epoch} has its set; ${plan.tasks} tasks`)
    for (let number = 0; number < plan.tasks; number++) await doTask(loop, number)

    const stands = plan.isWhole && course !== plainCourse
    if (stands) course.holdFinality(true)
    await passUntil(attemptStart(epoch, epochSecs, 0, params))
    if (stands) await standStill(loop, epoch)
    say('The epoch is paid')
    await reachEpoch(loop, epoch, ['settled', 'released'], 120)
    const windowsEnd = await proposeSlashes(loop)
    if (!plan.isWhole) return
    await passUntil(time() + params.vault_challenge_secs + 60)
    await reachEpoch(loop, epoch, ['released'], 120)
    await claimAll(loop)

    say('The miner that lied is slashed')
    await passUntil(windowsEnd + graceSecs + 30)
    await executeSlashes(loop)
    say('A miner leaves')
    await actOf(loop, owner, first, 'unbond')
    await passUntil(time() + params.unbonding_secs + 60)
    await actOf(loop, owner, first, 'withdraw')
    // All of it becomes final.
    await passUntil(time() + params.beacon_offset_secs)
    await requireWell(loop)
    await course.rest(restSlots)
  } finally {
    await endChild(liar)
  }
}

interface Loop {
  readonly network: NodeNetwork
  readonly course: Course
  readonly say: Say
  readonly depths: number[]
}

const firstWorkEpoch = ({ time }: NodeNetwork, offset: number, epochSecs: number): number =>
  Math.floor((time() + offset) / epochSecs) + 1

/** The next reorganisation of the plan. */
async function reorganise({ course, depths, say }: Loop): Promise<void> {
  const depth = depths.shift()
  if (depth === undefined || course === plainCourse) return
  depths.push(depth)
  say(`A reorganisation takes ${depth} blocks`)
  await course.reorganise(depth)
}

const undecided = ['queued', 'running']

async function doTask(loop: Loop, number: number): Promise<void> {
  const { network, course } = loop
  await reorganise(loop)
  // A block that is read while members vote takes its seconds from them.
  await course.catchUp()
  // A member that dates by the blocks that went would take its time to vote for over.
  await waitForClocks(network)
  const given = await giveTask(network, `task-${number}`, JSON.stringify({ task: number }))
  const params = { path: { task_id: given.task.task_id } }
  // Members have seconds to answer, and a slot may be half of one here.
  await until(
    `task ${number} is decided by its committee`,
    async () => {
      given.task = await network.network.client.call('GET /v1/tasks/{task_id}', params)
      return !undecided.includes(given.task.status)
    },
    { pollMs, limitMs: taskLimitMs },
  )
  // Blocks are seconds apart here, and take time from a member that has still to vote.
  await waitShortly(async () => {
    const round = await network.network.client.find('GET /v1/explorer/rounds/{round_id}', {
      path: { round_id: given.task.round_id! },
    })
    return (round !== null && round.votes === round.committee_size) || `${round?.votes} votes`
  }, leaseMs)
  await course.during(followTask(network, given, taskLimitMs))
  loop.say(`Task ${number} is ${given.task.status}`)
  if (!isHonest(given)) throw new Difference(`task ${number} is ${given.task.status}: ${given.task.error}`)
}

const readEpoch = ({ network: { network, projectId } }: Loop, epoch: number) =>
  network.client.find('GET /v1/explorer/epochs/{project_id}/{epoch}', {
    path: { project_id: projectId, epoch },
  })

/** Waits for the state of an epoch while blocks come, and lets minutes pass where that takes them. */
async function reachEpoch(loop: Loop, epoch: number, states: readonly string[], secs: number): Promise<void> {
  await reach(loop, `epoch ${epoch} is ${states[0]}`, secs, async () => {
    const found = await readEpoch(loop, epoch)
    return states.includes(found?.status ?? '') ? true : `${found?.status}`
  })
}

const triesMax = 40
const tryMs = 5_000
/** How long a member that was asked to vote may take. */
const leaseMs = 30_000

async function reach(
  { network, course }: Loop,
  what: string,
  secs: number,
  isSo: () => Promise<true | string>,
): Promise<void> {
  let seen = ''
  for (let tries = 0; tries < triesMax; tries++) {
    const found = await course.during(waitShortly(isSo))
    if (found === true) return
    seen = found
    await network.pass(secs)
    await waitForClocks(network)
  }
  throw new Difference(`${what} never came; seen last: ${seen}`)
}

async function waitShortly(isSo: () => Promise<true | string>, limitMs = tryMs): Promise<true | string> {
  for (const endMs = Date.now() + limitMs; ; await delay(pollMs)) {
    const found = await isSo()
    if (found === true || Date.now() > endMs) return found
  }
}

/** While the chain does not finalise, the hub says so and posts nothing. */
async function standStill(loop: Loop, epoch: number): Promise<void> {
  const { network, course, say } = loop
  await reach(loop, 'the hub says that the chain does not finalise', 300, async () => {
    const { chain } = await network.network.client.call('GET /v1/status')
    return chain.finalizing === false || 'it finalises'
  })
  const status = (await readEpoch(loop, epoch))?.status
  say(`The chain does not finalise; the epoch is ${status}`)
  course.holdFinality(false)
}

async function claimAll(loop: Loop): Promise<void> {
  const { network, course } = loop
  const keys = [...new Set(network.miners.map(({ payoutKey }) => payoutKey))]
  for (const key of keys) {
    const { client } = await signIn(network.network, key)
    await client.call('POST /v1/me/withdrawals/claims', { body: {} })
    await course.during(delay(pollMs))
    await reorganise(loop)
    await reach(loop, 'the claims are paid', 120, async () => {
      const { items } = await client.call('GET /v1/me/withdrawals')
      return (
        items.every(({ status }) => status === 'completed') ||
        JSON.stringify(items.map(({ status }) => status))
      )
    })
  }
}

const slashStates = async ({ network }: Loop) =>
  (await readSlashes(network)).map(({ kind, status, executable_at }) => ({ kind, status, executable_at }))

/** @returns When the windows end in which the owner could dispute. */
async function proposeSlashes(loop: Loop): Promise<number> {
  await reach(loop, 'the slashes are proposed', 120, async () => {
    const found = await slashStates(loop)
    if (found.length > lies) throw new Difference(`more is slashed than the lies: ${JSON.stringify(found)}`)
    const isProposed = found.length === lies && found.every(({ executable_at }) => executable_at !== null)
    return isProposed || JSON.stringify(found)
  })
  return (await slashStates(loop)).reduce((end, { executable_at }) => Math.max(end, executable_at ?? 0), 0)
}

const executeSlashes = (loop: Loop): Promise<void> =>
  reach(loop, 'the slashes are executed', 120, async () => {
    const found = await slashStates(loop)
    return found.every(({ status }) => status === 'executed') || JSON.stringify(found)
  })

type OwnAction = 'bond' | 'unbond' | 'withdraw'
const statesAfter = { bond: ['active'], unbond: ['unbonding', 'withdrawable'], withdraw: ['closed'] } as const

/** An owner signs, the hub submits it, and a reorganisation takes it back once. */
async function actOf(
  loop: Loop,
  wallet: Wallet,
  miner: Miner,
  action: OwnAction,
  amount?: string,
): Promise<void> {
  const { network, course } = loop
  const params = { path: { subscription_id: miner.subscriptionId } }
  const call = (body?: object) =>
    action === 'bond' && amount !== undefined && body !== undefined && 'amount' in body
      ? wallet.client.call('POST /v1/subscriptions/{subscription_id}/bond-payload', {
          ...params,
          body: { amount },
        })
      : wallet.client.call(`POST /v1/subscriptions/{subscription_id}/${action}`, {
          ...params,
          ...(body && { body: body as SignedBody }),
        } as never)
  const payload = (await call(amount === undefined ? undefined : { amount })) as Payload
  const { id } = (await call(await signed(wallet, payload))) as { id: string }
  const read = () => network.network.client.call('GET /v1/transactions/{id}', { path: { id } })
  await course.during(
    until(`${action} is in a block`, async () => (await read()).confirmations > 0, { pollMs }),
  )
  await reorganise(loop)
  await reach(loop, `${action} is confirmed`, 120, async () => {
    const { status, error, indexed } = await read()
    return (status === 'confirmed' && indexed) || `${status} ${error ?? ''}`
  })
  const { status } = await wallet.client.call('GET /v1/subscriptions/{subscription_id}', params)
  if (!(statesAfter[action] as readonly string[]).includes(status))
    throw new Difference(`after ${action} the subscription is ${status}`)
}

/** Without the check of a client, which dates by this machine and not by a chain whose time is moved. */
async function signed({ key }: Wallet, { typed_data, permit }: Payload): Promise<SignedBody> {
  const sign = async (data: unknown) =>
    (await keyWallet(key).signTypedData(data as SignableData)).toLowerCase()
  const body = { typed_data, signature: await sign(typed_data) }
  return (permit ? { ...body, permit, permit_signature: await sign(permit) } : body) as SignedBody
}

/** Nothing has stopped, and nothing waits for what never comes. */
const requireWell = (loop: Loop): Promise<void> =>
  reach(loop, 'the hub is well', 300, async () => {
    const { chain, late, relayer } = await loop.network.network.client.call('GET /v1/status')
    const isWell =
      chain.halted === null && late?.length === 0 && relayer === 'ok' && chain.finalizing !== false
    return isWell || JSON.stringify({ chain, late, relayer })
  })
