import type { FoundCause } from '../../protocol/causes.ts'
import type { ProjectFacts } from '../stores/why-facts.ts'

const daySecs = 86_400
/** As many validators are named; networks have few. */
const namedMax = 10

/** A time as people read it, to the minute. */
export const utc = (time: number): string =>
  `${new Date(time * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** "1 round", "2 rounds". */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`

/** The causes that keep a project from giving work. @param now - Unix seconds. */
export function projectCauses(facts: ProjectFacts, now: number): FoundCause[] {
  const listing = listingCauses(facts)
  // A project that is not listed has no sets.
  const isOut = listing.some(({ code }) => code !== 'project_underfunded')
  return isOut ? listing : [...listing, ...setCauses(facts), ...idleCauses(facts, now)]
}

function listingCauses({ listing, reviewedAt: since }: ProjectFacts): FoundCause[] {
  switch (listing) {
    case 'listed':
      return []
    case 'underfunded':
      return [
        {
          code: 'project_underfunded',
          message:
            'The vault of the project could not pay an epoch. Validators run its tasks until it is funded.',
        },
      ]
    case 'paused':
      return [{ code: 'project_paused', message: 'The project is paused and gives no work.', since }]
    case 'delisted':
      return [{ code: 'project_delisted', message: 'The project was delisted for good.', since }]
    default:
      return [
        {
          code: 'project_not_listed',
          message: 'The project is not listed yet, so it has no tasks and no committees.',
          detail: `The project is ${listing}, so it has no tasks and no committees.`,
        },
      ]
  }
}

function setCauses({
  epoch,
  epochSecs,
  set,
  validators,
  missing,
  committee,
  isBehind,
}: ProjectFacts): FoundCause[] {
  const since = epoch * epochSecs
  const behind: FoundCause[] = isBehind
    ? [
        {
          code: 'chain_behind',
          message:
            'The hub has not read the newest blocks of the chain, so recent bonds and payouts may not count yet.',
        },
      ]
    : []
  if (validators === null || validators === 0)
    return [
      ...behind,
      { code: 'no_validators', message: 'No generation of validators is in force for this epoch.' },
    ]
  if (set === null)
    return [
      ...behind,
      { code: 'set_not_built', message: `The committee set of epoch ${epoch} is not built yet.`, since },
    ]
  const unattested: FoundCause[] =
    set.attestedAt === null
      ? [
          {
            code: 'set_not_attested',
            message: `No quorum of the ${counted(validators, 'validator')} has attested the set of epoch ${epoch}. Missing: ${listOf(missing)}.`,
            since: set.builtAt,
          },
        ]
      : []
  const small: FoundCause[] =
    set.entries < committee.min_size
      ? [
          {
            code: 'committee_too_small',
            message: `${counted(set.entries, 'device')} in the set of epoch ${epoch}; a committee needs ${committee.min_size}. Validators run the tasks.`,
            since,
          },
        ]
      : []
  return [...behind, ...unattested, ...small]
}

const listOf = (names: readonly string[]): string =>
  names.length > namedMax
    ? `${names.slice(0, namedMax).join(', ')} and ${names.length - namedMax} more`
    : names.join(', ')

function idleCauses({ lastWorkAt, epochSecs }: ProjectFacts, now: number): FoundCause[] {
  // An epoch that runs has its end ahead.
  if (lastWorkAt !== null && lastWorkAt > now - daySecs) return []
  const since = lastWorkAt === null ? null : lastWorkAt - epochSecs
  const message =
    since === null
      ? 'The project has had no tasks yet.'
      : `The project has had no tasks since the epoch that began at ${utc(since)}.`
  return [{ code: 'project_without_tasks', message, since }]
}
