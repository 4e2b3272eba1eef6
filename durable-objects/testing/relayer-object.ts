import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach } from 'vitest'
import { evmAddress } from '../../protocol/signatures/index.ts'
import { RelayerObject } from '../relayer/object.ts'
import type { RelayerConfig, RelayRequest } from '../relayer/types.ts'
import { FakeChain } from './fake-chain.ts'
import { relayRequest } from './relay-request.ts'

export const relayerObjectOf = (privateKey: string) =>
  env.RELAYER.getByName(`31337:${evmAddress(privateKey)}`)

/** The object of a key, as if it had never done anything. */
export async function freshRelayerObject(
  privateKey = env.RELAYER_PRIVATE_KEY as string,
): Promise<ReturnType<typeof env.RELAYER.getByName>> {
  const relayer = relayerObjectOf(privateKey)
  await runInDurableObject(relayer, async (_, { storage }) => {
    await storage.deleteAlarm()
    await storage.deleteAll()
  })
  await evictDurableObject(relayer)
  return relayer
}

/** New for each test, in a file that calls {@link useRelayer}. */
export let chain: FakeChain
export let relayer: ReturnType<typeof relayerObjectOf>

export const useRelayer = () =>
  beforeEach(async () => {
    chain = new FakeChain().install()
    relayer = await freshRelayerObject()
  })

export const alarm = () => runDurableObjectAlarm(relayer)

/** An action that a relayer was given. */
export async function relayed(
  over: Partial<RelayRequest> = {},
  by: { relay: (request: RelayRequest) => unknown } = relayer,
): Promise<RelayRequest> {
  const request = relayRequest(over)
  await by.relay(request)
  return request
}

/** Mines a block, and has the relayer look at it. */
export async function mined(by: { alarm: () => unknown } = { alarm }): Promise<void> {
  chain.mine()
  await by.alarm()
}

/** For an object that a test makes itself, over the storage of another. */
export const relayerConfig = (over: Partial<RelayerConfig> = {}): RelayerConfig => ({
  rpcUrl: 'http://chain.test',
  timeoutMs: 5_000,
  chainId: 31337,
  privateKey: `0x${'12'.repeat(32)}`,
  errors: [],
  feeCapWei: 10n ** 11n,
  txFeeCapWei: 10n ** 18n,
  confirmations: 12,
  tickMs: 3_600_000,
  stuckMs: 30_000,
  viewMs: 20_000,
  gasPerDay: 10 ** 9,
  gasPerOwner: 10 ** 9,
  accepts: true,
  findElsewhere: async () => null,
  enqueue: async () => {},
  newest: async () => null,
  publish: async () => {},
  findForeignSubmission: async () => null,
  ...over,
})

/** Works with the object as it is made with other settings, over the storage of {@link relayer}. */
export const withRelayer = (
  over: Partial<RelayerConfig>,
  work: (object: RelayerObject, state: DurableObjectState) => Promise<void>,
) =>
  runInDurableObject(relayer, (instance, state) =>
    work(new RelayerObject(state, instance, relayerConfig(over)), state),
  )

export const sqlOn = (relayer: ReturnType<typeof relayerObjectOf>, statement: string, ...values: unknown[]) =>
  runInDurableObject(relayer, (_, { storage }) => storage.sql.exec(statement, ...values).toArray())
