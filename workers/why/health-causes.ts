import type { FoundCause } from '../../protocol/causes.ts'
import type { ProjectFacts } from '../stores/why-facts.ts'
import { counted, projectCauses } from './project-causes.ts'

export interface HealthFacts {
  project: ProjectFacts | null
  /** Members of the newest set. */
  eligible: number
  vault: { deployed: boolean; config_matches_manifest: boolean; runway_epochs: number }
  /** Rounds of the last 24 hours. */
  fallback: number
  contested: number
  failed: number
}

/** Why a project is not listed, has no committee or does not pay, the gravest first. @param now - Unix seconds. */
export function healthCauses(
  { project, eligible, vault, ...rounds }: HealthFacts,
  now: number,
): FoundCause[] {
  const { fallback, contested, failed } = rounds
  const ofLastDay = (count: number) => `${counted(count, 'round')} of the last 24 hours`
  return [
    ...(project === null ? [] : [...projectCauses(project, now), ...smallCauses(project, eligible)]),
    ...vaultCauses(vault),
    ...found('rounds_without_committee', fallback, `${ofLastDay(fallback)} had no committee.`),
    ...found(
      'rounds_contested',
      contested,
      `${ofLastDay(contested)} had votes for different results: see its proofs.`,
    ),
    ...found('rounds_failed', failed, `${ofLastDay(failed)} failed.`),
  ]
}

/** Without a set of the epoch the newest one tells what to expect. */
const smallCauses = ({ listing, set, committee }: ProjectFacts, eligible: number): FoundCause[] =>
  set === null && (listing === 'listed' || listing === 'underfunded') && eligible < committee.min_size
    ? [
        {
          code: 'committee_too_small',
          message: `${counted(eligible, 'device')} in the newest set; a committee needs ${committee.min_size}.`,
        },
      ]
    : []

const found = (code: FoundCause['code'], count: number, message: string): FoundCause[] =>
  count > 0 ? [{ code, message }] : []

function vaultCauses({
  deployed,
  config_matches_manifest: fits,
  runway_epochs: runway,
}: HealthFacts['vault']) {
  const causes: FoundCause[] = []
  if (!deployed) causes.push({ code: 'vault_missing', message: 'The vault does not exist on chain yet.' })
  else if (!fits)
    causes.push({
      code: 'vault_terms_differ',
      message: 'Token, developer, epoch length or cap of the vault are not those of the manifest.',
    })
  if (runway === 0)
    causes.push({ code: 'vault_empty', message: 'The vault cannot pay another epoch at its cap.' })
  return causes
}
