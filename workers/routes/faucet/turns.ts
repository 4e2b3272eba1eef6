import type { TurnRequest, TurnResult } from '../../../durable-objects/limits/faucet-cooldown.ts'
import { addressSubject } from '../../../protocol/encoding/index.ts'
import type { HubContext } from '../../context.ts'
import { unavailable } from '../../errors.ts'

/** The limits a drip falls under, in the order they are asked. */
type Scope = 'wallet' | 'address' | 'network'

interface Limit {
  scope: Scope
  name: string
  request: TurnRequest
}

const secondsPerDay = 86_400

const walletLimit = (wallet: string, cooldownSeconds: number): Limit => ({
  scope: 'wallet',
  name: `wallet:${wallet}`,
  request: { holder: wallet, turnsMax: 1, cooldownSeconds },
})

/**
 * The limits beside the wallet's own. An address has a few wallets; the network's day has a number of turns, of which a
 * wallet may have several where the cooldown is shorter.
 */
function sharedLimits(c: HubContext, wallet: string, turnId: string, cooldownSeconds: number): Limit[] {
  const settings = c.var.settings
  return [
    {
      scope: 'address',
      name: `address:${addressSubject(c.req.header('cf-connecting-ip'))}`,
      request: {
        holder: wallet,
        turnsMax: settings.FAUCET_WALLETS_PER_ADDRESS,
        cooldownSeconds,
      },
    },
    {
      scope: 'network',
      name: `network:${settings.PROFILE.network}`,
      request: { holder: turnId, turnsMax: settings.FAUCET_DRIPS_PER_DAY, cooldownSeconds: secondsPerDay },
    },
  ]
}

export interface Turn {
  turnId: string
  nextEligibleAt: number
  confirm: () => Promise<void>
  release: () => Promise<void>
}

export type TakenTurn =
  | { status: 'granted'; turn: Turn }
  | { status: 'wait'; scope: Scope; nextEligibleAt: number; confirmedTurnId: string | null }

/** A turn under every limit, or under none: those that were free are released when a later one is not. */
export async function takeTurn(c: HubContext, wallet: string, cooldownSecs: number): Promise<TakenTurn> {
  const first = walletLimit(wallet, cooldownSecs)
  const own = await take(c, first)
  if (own.status === 'wait') return { ...own, scope: 'wallet' }
  const granted = [{ limit: first, turnId: own.turnId }]
  const each = (act: (object: FaucetObject, turnId: string) => Promise<void>) =>
    reach(Promise.all(granted.map(({ limit, turnId }) => act(objectOf(c, limit), turnId))))
  const release = async () => void (await each((object, turnId) => object.release(turnId)))
  const confirm = async () => void (await each((object, turnId) => object.confirm(turnId)))
  for (const limit of sharedLimits(c, wallet, own.turnId, cooldownSecs)) {
    const result = await take(c, limit).catch(async (error) => {
      await release()
      throw error
    })
    if (result.status === 'wait') {
      await release()
      return { ...result, scope: limit.scope }
    }
    granted.push({ limit, turnId: result.turnId })
  }
  return { status: 'granted', turn: { ...own, confirm, release } }
}

const take = (c: HubContext, limit: Limit): Promise<TurnResult> =>
  reach(objectOf(c, limit).take(limit.request) as Promise<TurnResult>)

/** Frees a wallet whose tokens never arrived; of requests that race for this, one may take its turn again. */
export async function forgetTurn(
  c: HubContext,
  wallet: string,
  turnId: string,
  cooldownSecs: number,
): Promise<boolean> {
  if (!(await reach(objectOf(c, walletLimit(wallet, cooldownSecs)).forget(turnId)))) return false
  const shared = sharedLimits(c, wallet, turnId, cooldownSecs)
  await reach(Promise.all(shared.map((limit) => objectOf(c, limit).forgetHolder(limit.request.holder))))
  return true
}

/** When the wallet may take a turn; 0 for at once. */
export async function nextEligibleAt(c: HubContext, wallet: string, cooldownSecs: number): Promise<number> {
  const limits = [walletLimit(wallet, cooldownSecs), ...sharedLimits(c, wallet, '', cooldownSecs)]
  const times = await Promise.all(
    limits.map((limit) => reach(objectOf(c, limit).nextEligibleAt(limit.request))),
  )
  // biome-ignore lint/plugin/noSpreadArguments: One time for each limit.
  return Math.max(...times)
}

type FaucetObject = ReturnType<typeof objectOf>

const objectOf = (c: HubContext, { name }: Limit) => c.env.FAUCET_COOLDOWN.getByName(name)

const reach = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer
  } catch (error) {
    throw unavailable('The faucet', error)
  }
}
