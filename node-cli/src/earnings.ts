import { isAddress, isAmount, isBytes32, isUnsigned } from '../../protocol/encoding/index.ts'
import { CliError } from './cli/errors.ts'
import type { NodeAtHub } from './cli/node-at-hub.ts'
import { readSubscriptions, readToken, type Token } from './device-work.ts'
import type { HubClient } from './serve/hub/index.ts'
import { Members } from './serve/hub/members.ts'

/** The earnings of a payout address in an epoch of a project, as the hub shows them. Times in Unix seconds. */
export interface Earned {
  readonly project_id: string
  /** Null for a project that the device does not work for. */
  readonly slug: string | null
  readonly epoch: number
  readonly address: string
  readonly units: number
  readonly amount: string
  readonly token: Token
  readonly status: string
  readonly claimable_at: number | null
  readonly claim_tx: string | null
}

/** Sums of one token, of the payouts that are listed. */
export interface EarnedTotal extends Token {
  /** Sum of payouts that are accruing, attested, or in their challenge period. */
  readonly pending: string
  readonly claimable: string
  readonly claimed: string
}

/** The addresses to which the work of the node is paid, and its projects. */
export interface Paid {
  readonly addresses: readonly string[]
  /** Slugs by project id. */
  readonly slugs: ReadonlyMap<string, string>
}

/** More are not asked about. */
const addressesMax = 10

/** @throws {@link CliError} for a node that works for nothing, and if the hub cannot answer. */
export async function readPaid({ client, nodeId }: NodeAtHub): Promise<Paid> {
  const subscriptions = await readSubscriptions(client, nodeId)
  if (subscriptions.length === 0)
    throw new CliError('no_subscription', `${nodeId} has no subscription, so nobody is paid for it`, {
      hint: 'Name a payout address with --address, or find out more with: nodectl why',
    })
  const addresses = [...new Set(subscriptions.map(({ payout_address }) => payout_address))]
  const slugs = new Map(subscriptions.map(({ project_id, slug }) => [project_id, slug]))
  return { addresses: addresses.slice(0, addressesMax), slugs }
}

/** The earnings of addresses in their newest epochs, newest first. @param limit Epochs of each address. */
export async function readEarned(
  client: HubClient,
  { addresses, slugs }: Paid,
  { projectId, limit }: { projectId: string | null; limit: number },
): Promise<{ items: readonly Earned[]; isAll: boolean }> {
  const project = projectId === null ? '' : `&project_id=${projectId}`
  const pages = []
  for (const address of addresses) {
    const target = `/v1/me/earnings/epochs?address=${address}&limit=${limit}${project}`
    pages.push(
      await client.call({ method: 'GET', target }, (answer) => {
        const page = new Members(answer)
        return { items: page.objects('items', limit).map((one) => readOne(one, slugs)), next: page.cursor() }
      }),
    )
  }
  return { items: pages.flatMap(({ items }) => items), isAll: pages.every(({ next }) => next === null) }
}

function readOne(one: Members, slugs: Paid['slugs']): Earned {
  const projectId = one.get('project_id', isBytes32, 'an id')
  return {
    project_id: projectId,
    slug: slugs.get(projectId) ?? null,
    epoch: one.get('epoch', isUnsigned, 'a number'),
    address: one.get('miner', isAddress, 'an address'),
    units: one.get('units', isUnsigned, 'a number'),
    amount: one.get('amount', isAmount, 'an amount'),
    token: readToken(one.object('token')),
    status: one.text('status'),
    claimable_at: one.optional('claimable_at', isUnsigned, 'Unix seconds'),
    claim_tx: one.optional('claim_tx', isBytes32, 'a transaction'),
  }
}

const pending: readonly string[] = ['accruing', 'attested', 'settled']

const isPending = ({ status }: Pick<Earned, 'status'>): boolean => pending.includes(status)

/** More epochs of an address are not looked at: older ones are over. */
const pendingMax = 20

/** The payouts among the newest epochs that cannot be claimed yet. */
export async function readPending(
  client: HubClient,
  paid: Paid,
  projectId: string | null,
): Promise<readonly Earned[]> {
  const { items } = await readEarned(client, paid, { projectId, limit: pendingMax })
  return items.filter(isPending)
}

/** Amounts of different tokens are never added. */
export function totalsOf(items: readonly Pick<Earned, 'token' | 'status' | 'amount'>[]): EarnedTotal[] {
  const byToken = Map.groupBy(items, ({ token }) => token.address)
  return [...byToken.values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    const sum = (is: (status: string) => boolean) =>
      String(alike.reduce((total, { status, amount }) => (is(status) ? total + BigInt(amount) : total), 0n))
    return [
      {
        ...first.token,
        pending: sum((status) => isPending({ status })),
        claimable: sum((status) => status === 'claimable'),
        claimed: sum((status) => status === 'claimed'),
      },
    ]
  })
}

/** The payouts that an address can claim. */
export interface Claimable {
  readonly project_id: string
  readonly vault: string
  readonly epoch: number
  readonly address: string
  readonly amount: string
  readonly token: Token
}

/** As many as a hub lists of one wallet. */
const claimsMax = 200

export async function readClaimable(
  client: HubClient,
  addresses: readonly string[],
  projectId: string | null,
): Promise<{ claimable: readonly Claimable[]; more: boolean }> {
  const project = projectId === null ? '' : `&project_id=${projectId}`
  const lists = []
  for (const address of addresses) {
    const target = `/v1/me/claims?address=${address}${project}`
    lists.push(
      await client.call({ method: 'GET', target }, (answer) => ({
        more: new Members(answer).isTrue('more'),
        claimable: new Members(answer).objects('items', claimsMax).map((one) => ({
          project_id: one.get('project_id', isBytes32, 'an id'),
          vault: one.get('vault', isAddress, 'an address'),
          epoch: one.get('epoch', isUnsigned, 'a number'),
          address: one.get('account', isAddress, 'an address'),
          amount: one.get('amount', isAmount, 'an amount'),
          token: readToken(one.object('token')),
        })),
      })),
    )
  }
  return {
    claimable: lists.flatMap(({ claimable }) => claimable),
    more: lists.some(({ more }) => more),
  }
}
