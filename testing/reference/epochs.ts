import { waitForRounds } from '../../localnet/open-rounds.ts'
import { passTime } from '../../localnet/pass-time.ts'
import { attemptStart } from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import type { Givens } from './given.ts'
import type { Stage } from './stage.ts'

const waitMs = 120_000

/** Waits for the state of an epoch. */
const until = ({ client, projectId }: Stage, epoch: number, wanted: string) =>
  waitFor(
    `the epoch to be ${wanted}`,
    () =>
      client.call('GET /v1/explorer/epochs/{project_id}/{epoch}', { path: { project_id: projectId, epoch } }),
    ({ status }) => status === wanted,
    waitMs,
  )

/** Its echo is worth units; a short one is rounded to none. */
const input = 'reference'.repeat(30_000)

/** Ends an epoch in which the devices worked, whose reward is posted and may be vetoed. */
async function settledEpoch(stage: Stage) {
  const { client, projectId, epochSecs, network, backstage } = stage
  const path = { project_id: projectId }
  const { round_id } = await client.call('POST /v1/projects/{project_id}/tasks', {
    path,
    body: { function: 'echo', input },
    query: { wait: 60 },
  })
  const { epoch } = await client.call('GET /v1/explorer/rounds/{round_id}', { path: { round_id: round_id! } })
  // A busy machine needs longer than the call waits, and an epoch whose devices are late pays nobody.
  await waitForRounds(network, [{ project_id: projectId, epoch_secs: epochSecs }])
  // If the hour has just begun, the reward comes as late as two minutes after the epoch.
  const due = attemptStart(epoch!, epochSecs, 0, defaultNetworkParams) - (await network.now())
  await passTime(network, backstage.rpcUrl, Math.max(epochSecs, due))
  await until(stage, epoch!, 'settled')
  return { ...path, epoch: epoch! }
}

/** The epoch of the samples, by stage. */
const epochs = new WeakMap<Stage, ReturnType<typeof settledEpoch>>()
const epochOf = (stage: Stage) => {
  const made = epochs.get(stage) ?? settledEpoch(stage)
  epochs.set(stage, made)
  return made
}

/** For a call that succeeds once: the second try is refused. */
const once = (turn: number, refused: string) => (turn === 0 ? {} : { refused })

/** Decisions about the reward of an epoch. Each step happens once, so the second language may be told so. */
export const epochGivens = {
  vetoEpoch: async (stage, { turn }) => ({
    ...{ token: stage.operator.token, path: await epochOf(stage) },
    ...once(turn, 'invalid_state'),
  }),
  reopenEpoch: async (stage, { turn }) => {
    const path = await epochOf(stage)
    if (turn === 0) await until(stage, path.epoch, 'vetoed')
    return { token: stage.operator.token, path, ...once(turn, 'invalid_state') }
  },
  claimPayouts: async (stage, { turn }) => {
    const { miner, projectId, network, epochSecs, backstage } = stage
    if (turn === 0) {
      // The crons of the hub, which run every five minutes, post the reopened epoch again.
      const { epoch } = await epochOf(stage)
      await until(stage, epoch, 'attested')
      await passTime(network, backstage.rpcUrl, 5 * 60)
      await until(stage, epoch, 'settled')
      await passTime(network, backstage.rpcUrl, 3 * epochSecs)
      await waitFor(
        'a payout to be claimable',
        () => miner.client.call('GET /v1/me/claims'),
        ({ items }) => items.length > 0,
        waitMs,
      )
    }
    return { token: miner.token, body: { project_ids: [projectId] }, ...once(turn, 'conflict') }
  },
  pauseSettlement: ({ operator }, { turn }) => ({ token: operator.token, ...once(turn, 'invalid_state') }),
  unpauseSettlement: async ({ operator }, { turn }) => {
    const pauseAgain = () =>
      operator.client.call('POST /admin/v1/settlement/pause').then(
        () => null,
        ({ code }) => code,
      )
    // Once the chain has the pause.
    if (turn === 0) await waitFor('the pause', pauseAgain, (code) => code === 'invalid_state')
    return { token: operator.token, ...once(turn, 'invalid_state') }
  },
  listClaims: () => ({}),
  listEarnedEpochs: () => ({}),
} satisfies Givens
