import type { FoundCause } from '../../protocol/causes.ts'
import { type ListingStatus, openStatuses } from '../../protocol/manifest/index.ts'
import type { ProjectFacts } from '../stores/why-facts.ts'
import { counted, projectCauses, utc } from './project-causes.ts'

/** When a version begins, null while it is not known, and the length of its epochs. */
export interface VersionStart {
  version: number
  effectiveAt: number | null
  epochSecs: number
}

export interface HealthFacts {
  project: ProjectFacts | null
  /** Members of the newest set. */
  eligible: number
  vault: { deployed: boolean; config_matches_manifest: boolean; runway_epochs: number }
  /** A version that waits for its epoch, and whose epochs the vault will not pay. */
  unpaid: VersionStart | null
  /** Rounds of the last 24 hours. */
  fallback: number
  contested: number
  failed: number
}

/** Why a project is not listed, has no committee or does not pay, the gravest first. @param now - Unix seconds. */
export function healthCauses(
  { project, eligible, vault, unpaid, ...rounds }: HealthFacts,
  now: number,
): FoundCause[] {
  const { fallback, contested, failed } = rounds
  const ofLastDay = (count: number) => `${counted(count, 'round')} of the last 24 hours`
  return [
    ...(project === null
      ? []
      : [
          ...projectCauses(project, now).map((cause) => forDeveloper(cause, project.listing)),
          ...smallCauses(project, eligible),
        ]),
    ...(project !== null && withoutVault.includes(project.listing) ? [] : vaultCauses(vault, unpaid)),
    ...found('rounds_without_committee', fallback, `${ofLastDay(fallback)} had no committee.`),
    ...found(
      'rounds_contested',
      contested,
      `${ofLastDay(contested)} had votes for different results: see its proofs.`,
    ),
    ...found('rounds_failed', failed, `${ofLastDay(failed)} failed.`),
  ]
}

/** Nobody can open the vault of a project that the chain does not know, and nothing is paid from one that does not come back. */
const withoutVault: readonly ListingStatus[] = ['draft', 'submitted', 'rejected', 'delisted']

/** The explanation and the next step for the developer, while the project is not listed. */
const ofListing: Partial<Record<ListingStatus, readonly [detail: string, nextStep: string | null]>> = {
  submitted: [
    'The chain does not have the project yet.',
    'Wait for the block that registers it. If none does within minutes, sign and register the manifest once more.',
  ],
  pending_review: [
    'The project is registered, and an operator of the hub has not reviewed it yet.',
    'Wait for the decision. You can fund the vault meanwhile.',
  ],
  rejected: [
    'An operator of the hub rejected the project, which is final.',
    'Read the reason, and register a corrected manifest under another slug.',
  ],
  paused: [
    'An operator of the hub paused the project, so it gives no work.',
    'Read the reason, and ask an operator of the hub to resume it.',
  ],
  delisted: [
    'An operator of the hub removed the project for good.',
    'Register it under another slug, or take what is left in the vault back.',
  ],
}

function forDeveloper(cause: FoundCause, listing: ListingStatus): FoundCause {
  const [detail, nextStep] = ofListing[listing] ?? []
  const isOfListing = ['project_not_listed', 'project_paused', 'project_delisted'].includes(cause.code)
  return isOfListing && detail !== undefined ? { ...cause, detail, nextStep: nextStep ?? null } : cause
}

/** Without a set of the epoch the newest one tells what to expect. */
const smallCauses = ({ listing, set, committee }: ProjectFacts, eligible: number): FoundCause[] =>
  set === null && openStatuses.includes(listing) && eligible < committee.min_size
    ? [
        {
          code: 'committee_too_small',
          message: `${counted(eligible, 'device')} in the newest set; a committee needs ${committee.min_size}.`,
        },
      ]
    : []

const found = (code: FoundCause['code'], count: number, message: string): FoundCause[] =>
  count > 0 ? [{ code, message }] : []

function vaultCauses(
  { deployed, config_matches_manifest: fits, runway_epochs: runway }: HealthFacts['vault'],
  unpaid: HealthFacts['unpaid'],
) {
  const causes: FoundCause[] = []
  if (!deployed) causes.push({ code: 'vault_missing', message: 'The vault does not exist on chain yet.' })
  else if (!fits)
    causes.push({
      code: 'vault_terms_differ',
      message: 'Token, developer, epoch length or cap of the vault are not those of the manifest.',
    })
  else if (unpaid !== null)
    causes.push({
      code: 'vault_terms_differ',
      message: `Version ${unpaid.version} has epochs of ${unpaid.epochSecs} s from ${utc(unpaid.effectiveAt ?? 0)} on, which the vault does not pay: it has other terms then.`,
    })
  if (runway === 0)
    causes.push({ code: 'vault_empty', message: 'The vault cannot pay another epoch at its cap.' })
  return causes
}
