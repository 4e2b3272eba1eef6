import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { deployContracts } from '../../contracts/deploy.ts'
import { accounts, faucetSupplyWei, grants } from '../../localnet/accounts.ts'
import { chainSettingsOf, networkParamsOf, resolveProfile } from '../../protocol/identity/index.ts'
import type { Network } from '../../scripts/hub/network.ts'
import { readTip } from '../../scripts/wrangler-hub.ts'
import { draws } from '../harness/draws.ts'
import { delay, until } from '../harness/time.ts'
import { CallMeter } from './call-meter.ts'
import type { RehearsalChain } from './course.ts'
import { lagBlocksMax, type Provider, startProvider } from './provider.ts'
import { type RehearsedChain, SlotChain } from './slot-chain.ts'

/** How fast time goes by. */
export interface Pace {
  /** Real duration of a slot. The hub's pauses are shortened in proportion, so that it does as much in a slot. */
  readonly slotMs: number
  /** Seconds after which the hub is given time to follow while time passes: less than a set has until its epoch. */
  readonly stretchSecs: number
}

const usualPace: Pace = { slotMs: 500, stretchSecs: 240 }
/** Blocks wait at most this long for a hub that is more than `lagBlocksMax` blocks behind. */
const followMs = 3_000
/** A longer span passes with few blocks, except for its last hour. */
const longSecs = 6 * 3_600
/** Share of requests at which a rate limit starts to refuse, in percent, as on public nodes. */
const percentLimited = 5

/** A chain like a public one, with two providers for the hub and two for validators. */
export async function startPublicChain(
  rehearsed: RehearsedChain,
  seed: number,
  { slotMs, stretchSecs }: Pace = usualPace,
): Promise<RehearsalChain> {
  const { profile: chainProfile } = rehearsed
  const shortened = chainProfile.blockSecs / (slotMs / 1000)
  const random = draws(seed)
  const chain = await SlotChain.start(random, rehearsed)
  const providers: Provider[] = []
  for (let number = 0; number < 4; number++)
    providers.push(await startProvider(chain, draws(seed + number), percentLimited))
  const stop = async () => {
    for (const provider of providers) await provider.stop()
    await chain.stop()
  }
  /** The folder of the hub's data. Null before the hub is started. */
  let hubState: string | null = null
  const meter = new CallMeter({ hub: providers.slice(0, 2), validators: providers.slice(2) })

  /** The newest block that the hub has read, as of now: its status says so seconds later. */
  const readUpTo = (): number => (hubState === null ? null : readTip(hubState))?.block_number ?? 0
  /** Returns once the hub has read the chain, or could have. */
  const followed = async () => {
    for (const endMs = Date.now() + followMs; hubState !== null && Date.now() < endMs; await delay(50))
      if (readUpTo() >= chain.head - lagBlocksMax) return
  }
  /** Slots go by in their pace for as long as somebody waits. */
  const during = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false
    const over = work.finally(() => {
      isOver = true
    })
    over.catch(() => {})
    const measured = meter.begin(chain.blocks)
    while (!isOver) {
      await chain.slot()
      await Promise.all([Promise.race([delay(slotMs), over]).catch(() => {}), followed()])
    }
    measured.end(chain.blocks)
    return over
  }
  const pass = async (seconds: number) => {
    for (let left = seconds; left > 0; left -= stretchSecs) {
      await chain.pass(Math.min(left, stretchSecs))
      await followed()
    }
  }
  try {
    const keys = await makeAccounts(chain)
    const { chainId: id } = chainProfile
    const profile = resolveProfile({ chain_id: id })
    const deployment = await during(
      deployContracts({
        rpcUrl: chain.url,
        account: keys.relayer,
        profile,
        params: networkParamsOf(id),
        treasury: keys.treasury.address,
        roles: { admin: keys.admin.address, arbiter: keys.arbiter.address },
        faucetSupplyWei,
        grants: grants.map((one) =>
          one.to === accounts.treasury.address ? { ...one, to: keys.treasury.address } : one,
        ),
      }),
    )
    const [first, second, ...ofValidators] = providers
    return {
      url: chain.url,
      id,
      profile,
      deployment,
      hubSettings({ CHAIN_FINALITY_BLOCKS: _, ...usual }, statePath) {
        hubState = statePath
        return {
          ...usual,
          ...chainSettingsOf(chainProfile),
          CHAIN_NAME: chainProfile.name,
          CHAIN_RPC_URL: `${first!.url},${second!.url}`,
          CHAIN_BLOCK_SECS: String(chainProfile.blockSecs / shortened),
          RELAYER_PRIVATE_KEY: keys.relayer.key,
          ARBITER_PRIVATE_KEY: keys.arbiter.key,
          RELAYER_TICK_MS: String(Math.max(20, Math.ceil(1_000 / shortened))),
          RELAYER_STUCK_MS: String(30_000 / shortened),
        }
      },
      rpcOfValidator: (number) => ofValidators[number % 2]!.url,
      async pass({ now }: Network, seconds: number) {
        const end = (await now()) + seconds
        if (end - chain.timestamp > longSecs) await chain.leap(end - chain.timestamp - 3_600)
        await pass(end - chain.timestamp)
      },
      stop,
      during,
      async catchUp() {
        for (const provider of providers) provider.catchUp()
        const isRead = async () => readUpTo() >= chain.head
        await until('the hub has read the newest block', isRead, { pollMs: 50 })
      },
      begin() {
        meter.phase = 'work'
        for (const provider of providers) provider.begin()
      },
      async rest(slots) {
        meter.phase = 'rest'
        const measured = meter.begin(chain.blocks)
        // The chain waits for nobody: what a hub asks in a slot would be counted for fewer of them.
        for (let slot = 0; slot < slots; slot++) await Promise.all([chain.slot(), delay(slotMs)])
        measured.end(chain.blocks)
        meter.phase = 'work'
      },
      async reorganise(depth) {
        await chain.reorganise(depth)
        await followed()
      },
      holdFinality: (holds) => chain.holdFinality(holds),
      figures: () => ({
        blocks: chain.blocks,
        slots_missed: chain.missed,
        reorganisations: chain.reorganisations,
        rate_limited: sumOf(providers, ({ refused }) => refused.rateLimited),
        log_ranges_refused: sumOf(providers, ({ refused }) => refused.logRanges),
        rpc_calls_per_hour: meter.perHour(3_600 / chainProfile.blockSecs),
      }),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

type Keyed = PrivateKeyAccount & { readonly key: Hex }

/** Accounts that nobody else has the keys of, as the hub wants them on a chain of others. */
async function makeAccounts(chain: SlotChain) {
  const made = ['relayer', 'arbiter', 'admin', 'treasury'].map((name): [string, Keyed] => {
    const key: Hex = `0x${randomBytes(32).toString('hex')}`
    return [name, { ...privateKeyToAccount(key), key }]
  })
  for (const [, { address }] of made)
    await chain.rpc('anvil_setBalance', address, `0x${(10n ** 20n).toString(16)}`)
  return Object.fromEntries(made) as Record<'relayer' | 'arbiter' | 'admin' | 'treasury', Keyed>
}

const sumOf = (providers: readonly Provider[], of: (one: Provider) => number): number =>
  providers.reduce((sum, one) => sum + of(one), 0)
