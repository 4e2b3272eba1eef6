import type { TurnRequest, TurnResult } from '../../durable-objects/faucet-cooldown.ts'
import type { HubContext } from '../context.ts'
import { unavailable } from '../errors.ts'
import { clientSubject } from '../http/client-address.ts'

/** The limits a drip falls under, in the order they are asked. */
type Scope = 'wallet' | 'address' | 'network'

interface Limit {
  scope: Scope
  name: string
  request: TurnRequest
}

const secondsPerDay = 86_400

function limits(c: HubContext, wallet: string): Limit[] {
  const settings = c.var.settings
  const address = clientSubject(c.req.header('cf-connecting-ip'))
  const cooldownSeconds = settings.FAUCET_COOLDOWN_SECONDS
  const limit = (scope: Scope, subject: string, turnsMax: number, seconds = cooldownSeconds): Limit => ({
    scope,
    name: `${scope}:${subject}`,
    request: { holder: wallet, turnsMax, cooldownSeconds: seconds },
  })
  return [
    limit('wallet', wallet, 1),
    limit('address', address, settings.FAUCET_WALLETS_PER_ADDRESS),
    limit('network', settings.PROFILE.network, settings.FAUCET_DRIPS_PER_DAY, secondsPerDay),
  ]
}

export interface Turn {
  /** The wallet's turn; what is sent is named after it. */
  turnId: string
  nextEligibleAt: number
  settle: () => Promise<void>
  giveBack: () => Promise<void>
}

export type TakenTurn =
  | { status: 'granted'; turn: Turn }
  | { status: 'wait'; scope: Scope; nextEligibleAt: number; settledTurnId: string | null }

/** A turn under every limit, or under none: those that were free are given back when a later one is not. */
export async function takeTurn(c: HubContext, wallet: string): Promise<TakenTurn> {
  const granted: { limit: Limit; result: Extract<TurnResult, { status: 'granted' }> }[] = []
  const each = async (act: (object: FaucetObject, turnId: string) => Promise<void>) => {
    await Promise.all(granted.map(({ limit, result }) => act(objectOf(c, limit), result.turnId)))
  }
  const giveBack = () => reach(each((object, turnId) => object.giveBack(turnId)))
  for (const limit of limits(c, wallet)) {
    const result = await reach<TurnResult>(
      objectOf(c, limit).take(limit.request) as Promise<TurnResult>,
    ).catch(async (error) => {
      await giveBack()
      throw error
    })
    if (result.status === 'wait') {
      await giveBack()
      return { ...result, scope: limit.scope }
    }
    granted.push({ limit, result })
  }
  const own = granted[0]?.result
  if (!own) throw new Error('the faucet has no limits')
  return {
    status: 'granted',
    turn: { ...own, settle: () => reach(each((object, turnId) => object.settle(turnId))), giveBack },
  }
}

/** Frees a wallet whose tokens never arrived; of requests that race for this, one may take its turn anew. */
export async function forgetTurn(c: HubContext, wallet: string, turnId: string): Promise<boolean> {
  const [own, ...others] = limits(c, wallet)
  if (!own || !(await reach(objectOf(c, own).forget(turnId)))) return false
  await reach(Promise.all(others.map((limit) => objectOf(c, limit).forgetHolder(wallet))))
  return true
}

/** When the wallet may take a turn; 0 for at once. */
export async function nextEligibleAt(c: HubContext, wallet: string): Promise<number> {
  const times = await Promise.all(
    limits(c, wallet).map((limit) => reach(objectOf(c, limit).nextEligibleAt(limit.request))),
  )
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
