import { Difference } from '../harness/difference.ts'
import { until } from '../harness/time.ts'
import { startFaultyHub } from '../network/faulty-hub.ts'
import { createNodeKey } from '../network/validator-server.ts'
import { validatorCount } from './plan.ts'
import { startValidators } from './validators.ts'

/** An action that the hub wants on the chain and that is not there yet. */
interface OpenAction {
  last_error: string | null
}

export type ChaosNetwork = Awaited<ReturnType<typeof startChaosNetwork>>

const confirmations = 2
const depthMax = 2 * confirmations + 2
const blockMs = 500
const agedSecs = 7_200
/** The hub alone waits ten minutes for the event of a transaction that a reorganisation made pointless. */
const settledWithinMs = 1_200_000
/** Beginnings of the reasons for which an action waits: nobody has to do anything about it for now. */
const waits = [
  'An arbiter vetoed',
  'An arbiter has paused',
  'The challenge period has not ended',
  'The free balance of the vault',
  'The vault is not open yet',
]
const isWaiting = ({ last_error: reason }: OpenAction): boolean =>
  waits.some((wait) => reason?.startsWith(wait))
/** The same of rows: what waits is due when its event is indexed, or its time has come. */
const isPutOff = `state = 'open' AND NOT (${waits.map((wait) => `coalesce(last_error, '') LIKE '${wait}%'`).join(' OR ')})`

export async function startChaosNetwork() {
  const started = await startFaultyHub({
    confirmations,
    depthMax,
    blockMs,
    vars: { CHAIN_TIMEOUT_MS: '2500', CHAIN_BLOCK_SECS: '2', RELAYER_STUCK_MS: '1000' },
  })
  const { profile, chain, hub, operator, rows, wake, register } = started
  const validators = await startValidators(profile, validatorCount)
  const head = async () => Number(await chain.rpc('eth_blockNumber'))
  const indexed = async () =>
    Number((await rows<{ n: number }>('SELECT block_number AS n FROM chain_cursor'))[0]?.n)
  /** Runs the schedule of the hub, in which every try that was put off for less than two hours is due. */
  const schedule = async () => {
    await rows(`UPDATE hub_actions SET next_attempt_at = next_attempt_at - ? WHERE ${isPutOff}`, agedSecs)
    await wake()
  }
  const openActions = () =>
    rows<OpenAction>("SELECT kind, subject, attempts, last_error FROM hub_actions WHERE state = 'open'")
  const isSettled = async () => {
    const reached = await head()
    await until('the index has the newest block', async () => (await indexed()) >= reached)
    await schedule()
    const [due] = await rows<{ n: number }>(
      `SELECT count(*) AS n FROM hub_actions
      WHERE state = 'open' AND next_attempt_at <= unixepoch() + (SELECT lead_secs FROM chain_cursor)`,
    )
    if (due?.n !== 0) return `${due?.n} actions are due`
    const [sent] = await rows<{ n: number }>(
      "SELECT count(*) AS n FROM transactions WHERE status IN ('queued', 'sent')",
    )
    const open = await openActions()
    return sent?.n === 0 && open.every(isWaiting)
  }

  /** Were validators once. */
  const former = [createNodeKey(profile), createNodeKey(profile)]
  await started.beginWith(validators.nodes)
  for (const { seed } of former) await register(seed, 'validator', 'http://127.0.0.1:9')
  for (const { nodeId } of former)
    await hub.expect(200, {
      method: 'POST',
      path: `/admin/v1/nodes/${nodeId}/revoke`,
      token: operator.token,
      json: {},
    })

  return {
    ...started,
    validators,
    former,
    schedule,
    /** Returns once everything that the hub wants is on the chain for good, or waits for something else to happen. */
    async settle() {
      try {
        await until('everything is settled', isSettled, { limitMs: settledWithinMs })
      } catch (error) {
        if (!(error instanceof Difference)) throw error
        const open = (await openActions()).filter((one) => !isWaiting(one))
        const sent = await rows("SELECT * FROM transactions WHERE status IN ('queued', 'sent') LIMIT 5")
        throw new Difference(`${error.message}: ${JSON.stringify({ open: open.slice(0, 10), sent })}`)
      }
    },
    async stop() {
      await started.stop()
      await validators.stop()
    },
  }
}
