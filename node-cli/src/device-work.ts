import { isAddress, isAmount, isBytes32, isUnsigned } from '../../protocol/encoding/index.ts'
import { durationText } from './cli/duration-text.ts'
import { ifFound } from './cli/node-at-hub.ts'
import { type HubClient, HubError } from './serve/hub/index.ts'
import { Members } from './serve/hub/members.ts'

/** A subscription of a device, as its hub shows it. Amounts in base units, times in Unix seconds. */
export interface WorkedFor {
  readonly subscription_id: string
  readonly project_id: string
  readonly slug: string
  readonly symbol: string
  readonly decimals: number
  readonly owner: string
  /** The address that gets its rewards. */
  readonly payout_address: string
  readonly status: string
  readonly collateral: string
  readonly pending_slashes: number
  readonly slashed_total: string
  readonly release_at: number | null
  readonly earned: string
  /** Null while no work can come. */
  readonly works_from: number | null
}

export interface DeviceWork {
  /** The time of the hub. */
  readonly now: number
  readonly subscriptions: readonly WorkedFor[]
}

const shownMax = 50

/** Asks the hub what a device works for. Null if the hub gives no answer, or is too old for the question. */
export async function readDeviceWork(client: HubClient, nodeId: string): Promise<DeviceWork | null> {
  try {
    const subscriptions = await askSubscriptions(client, nodeId)
    const now = await client.call({ method: 'GET', target: '/v1/status' }, (answer) =>
      new Members(answer).get('time', isUnsigned, 'Unix seconds'),
    )
    return { now, subscriptions }
  } catch (error) {
    if (error instanceof HubError) return null
    throw error
  }
}

/**
 * The open subscriptions of a device; none if the hub does not know it. A hub that cannot answer now does not count as one
 * that knows of none. @throws {@link HubError}
 */
export const readSubscriptions = async (client: HubClient, nodeId: string): Promise<readonly WorkedFor[]> =>
  (await ifFound(askSubscriptions(client, nodeId))) ?? []

const askSubscriptions = (client: HubClient, nodeId: string): Promise<readonly WorkedFor[]> =>
  client.call({ method: 'GET', target: `/v1/devices/${nodeId}/work` }, (answer) =>
    new Members(answer).objects('subscriptions', shownMax).map(readSubscription),
  )

function readSubscription(subscription: Members): WorkedFor {
  const { symbol, decimals } = readToken(subscription.object('token'))
  const owner = subscription.get('owner', isAddress, 'an address')
  const amount = (key: string) => subscription.get(key, isAmount, 'an amount')
  return {
    subscription_id: subscription.get('subscription_id', isBytes32, 'an id'),
    project_id: subscription.get('project_id', isBytes32, 'an id'),
    slug: subscription.text('slug'),
    symbol,
    decimals,
    owner,
    // Hubs of before do not show it.
    payout_address: subscription.optional('payout_address', isAddress, 'an address') ?? owner,
    status: subscription.text('status'),
    collateral: amount('collateral'),
    pending_slashes: subscription.get('pending_slashes', isUnsigned, 'a number'),
    slashed_total: amount('slashed_total'),
    release_at: subscription.optional('release_at', isUnsigned, 'Unix seconds'),
    earned: amount('earned'),
    works_from: subscription.optional('works_from', isUnsigned, 'Unix seconds'),
  }
}

const isDecimals = (value: unknown): value is number => isUnsigned(value) && value <= 36

export interface Token {
  readonly address: string
  readonly symbol: string
  readonly decimals: number
}

export const readToken = (token: Members): Token => ({
  address: token.get('address', isAddress, 'an address'),
  symbol: token.text('symbol'),
  decimals: token.get('decimals', isDecimals, 'a number up to 36'),
})

type InToken = Pick<WorkedFor, 'symbol' | 'decimals'>

/** An amount in whole tokens. */
export function tokensText(amount: string, { symbol, decimals }: InToken): string {
  const digits = amount.padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${whole}${rest === '' ? '' : `.${rest}`} ${symbol}`
}

/** A subscription in one line: its state, bonded and earned amounts, slashes, and when work comes. */
export function workText(subscription: WorkedFor, now: number): string {
  const { slug, status, collateral, earned, pending_slashes, slashed_total, release_at, works_from } =
    subscription
  const until = release_at === null ? '' : ` until ${timeText(release_at, now)}`
  const slashes = [
    ...(pending_slashes === 0
      ? []
      : [`${pending_slashes} open ${pending_slashes === 1 ? 'slash' : 'slashes'}`]),
    ...(slashed_total === '0' ? [] : [`${tokensText(slashed_total, subscription)} slashed`]),
  ]
  return [
    `${slug}: ${status.replaceAll('_', ' ')}${until}`,
    `${tokensText(collateral, subscription)} bonded`,
    `${tokensText(earned, subscription)} earned by its payout address`,
    ...slashes,
    works_from === null
      ? 'no work comes'
      : works_from <= now
        ? 'work comes'
        : `work can come from ${timeText(works_from, now)}`,
  ].join(', ')
}

const daySecs = 86_400

/** When something is, as a clock on the wall shows it, and in how long. */
export function timeText(time: number, now: number): string {
  const date = new Date(time * 1000)
  const pad = (part: number) => String(part).padStart(2, '0')
  const left = Math.max(0, time - now)
  const day =
    left < daySecs ? '' : `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} `
  return `${day}${pad(date.getHours())}:${pad(date.getMinutes())}, in ${durationText(left < 60 ? left : left - (left % 60))}`
}
