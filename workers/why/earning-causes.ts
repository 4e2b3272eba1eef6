import type { FoundCause } from '../../protocol/causes.ts'
import { type ParamsSchedule, paramsAt } from '../../protocol/identity/index.ts'
import { amountText } from '../actions/contract-errors.ts'
import type { ShareFacts, SubscriptionFacts } from '../stores/why-facts.ts'
import { counted } from './project-causes.ts'

/** An epoch that is not attested this long after its time is late. */
const patienceSecs = 3_600

/** The causes that keep credited work from being paid. @param now - Unix seconds. */
export function earningCauses(
  {
    shares,
    claimable,
    unshared,
    unattested,
  }: Pick<SubscriptionFacts, 'shares' | 'claimable' | 'unshared' | 'unattested'>,
  { owner, payout }: { owner: string; payout: string },
  now: number,
  schedule: ParamsSchedule,
): FoundCause[] {
  return [
    ...(payout === owner
      ? []
      : [{ code: 'payout_elsewhere', message: `The rewards go to ${payout}, not to the owner.` } as const]),
    ...(unattested !== null && isLate(unattested, now, schedule)
      ? [
          {
            code: 'epoch_not_attested',
            message: `No quorum of the validators has attested epoch ${unattested.epoch} yet, in which the payout address has credited tasks.`,
            since: unattested.endsAt,
          } as const,
        ]
      : []),
    ...unshared.slice(0, 1).map(
      ({ epoch, endsAt, recipients, cap }): FoundCause =>
        cap > 0 && recipients >= cap
          ? {
              code: 'below_recipients_cap',
              message: `Epoch ${epoch} pays ${cap} addresses, and others had more units.`,
              since: endsAt,
            }
          : {
              code: 'rounded_to_zero',
              message: `The units of the payout address in epoch ${epoch} were rounded down to zero by the cap of units.`,
              since: endsAt,
            },
    ),
    ...newestOfEach(shares.flatMap((share) => ofShare(share, now, schedule))),
    ...(claimable.count === 0
      ? []
      : [
          {
            code: 'payouts_unclaimed',
            message: `${claimable.isAll ? '' : 'At least '}${counted(claimable.count, 'payout')} of the payout address can be claimed.`,
            since: claimable.since,
          } as const,
        ]),
  ]
}

function ofShare(
  { epoch, endsAt: since, state, settlement, error, leaf, amount, token, units }: ShareFacts,
  now: number,
  schedule: ParamsSchedule,
) {
  const found: FoundCause[] = []
  if (leaf === null)
    found.push({
      code: 'rounded_to_zero',
      message: `${counted(units, 'unit')} in epoch ${epoch} came to less than the smallest amount of the token.`,
      since,
    })
  else if (state === 'vetoed')
    found.push({ code: 'epoch_vetoed', message: `Epoch ${epoch} was vetoed, so it pays nothing.`, since })
  else if (state === 'underfunded')
    found.push({
      code: 'epoch_underfunded',
      message: `The vault cannot pay epoch ${epoch}, in which the payout address earned ${amountText(amount, token)}.`,
      detail: error && `The vault cannot pay epoch ${epoch}: ${error}`,
      since,
    })
  else if (
    state !== 'settled' &&
    (settlement === 'reverted' || settlement === 'failed' || isLate({ epoch, endsAt: since }, now, schedule))
  )
    found.push({
      code: 'epoch_not_posted',
      message: `Epoch ${epoch} is attested, and its payouts are not on chain yet.`,
      detail: error && `The payouts of epoch ${epoch} are not on chain yet: ${error}`,
      since,
    })
  return found
}

function isLate(
  { epoch, endsAt }: { epoch: number; endsAt: number },
  now: number,
  schedule: ParamsSchedule,
): boolean {
  const startsAt = (endsAt / (epoch + 1)) * epoch
  return endsAt + paramsAt(schedule, startsAt).settle + patienceSecs <= now
}

/** They come newest first. */
const newestOfEach = (found: readonly FoundCause[]): FoundCause[] => [
  ...new Map(found.toReversed().map((cause) => [cause.code, cause])).values(),
]
