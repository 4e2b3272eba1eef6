import {
  CanonicalJsonError,
  FormatError,
  isBytes32,
  isObject,
  isUnsigned,
  MemberChecker,
  ProblemList,
} from '../../../../../protocol/encoding/index.ts'
import { SlugError } from '../../../../../protocol/identity/index.ts'
import {
  checkManifestEnvelope,
  checkProjectRules,
  type ManifestEnvelope,
  type ProjectRules,
} from '../../../../../protocol/manifest/index.ts'
import type { NodeParts } from '../../part.ts'
import type { ProjectRulesStore } from '../../store/project-rules.ts'
import type { AnswerReader } from '../hub-client.ts'
import { Members, readPages } from '../members.ts'
import { type SourceFetch, SourceRefused } from './fetch.ts'

const pageBounds = { itemsMax: 200, pagesMax: 10 }

export interface RulesParts extends Pick<NodeParts, 'params' | 'profile'> {
  readonly fetch: SourceFetch
  readonly kept: ProjectRulesStore
}

/**
 * The rules of a project with this hash, as its developer signed them: those in force, otherwise those of the version that
 * has them. @throws {@link SourceAway}, {@link SourceRefused}
 */
export async function fetchRules(
  parts: RulesParts,
  projectId: string,
  consensusHash: string,
): Promise<ProjectRules> {
  const known = parts.kept.find(projectId, consensusHash)
  if (known !== null) return known
  const rules = await findRules(parts, projectId, consensusHash)
  if (rules === null)
    throw new SourceRefused(
      'rules',
      'unknown_rules',
      `the hub has no version of the project with the rules ${consensusHash} that its developer signed`,
    )
  parts.kept.keep(projectId, consensusHash, rules)
  return rules
}

async function findRules(
  parts: RulesParts,
  projectId: string,
  consensusHash: string,
): Promise<ProjectRules | null> {
  const { fetch } = parts
  const project = `/v1/projects/${projectId}`
  const read: AnswerReader<ProjectRules | null> = (answer) =>
    signedRules(parts, answer, projectId, consensusHash)
  const current = await fetch.read('rules', `${project}/manifest`, read)
  if (current !== null) return current
  const readVersion = (item: Members) => ({
    version: item.get('version', isUnsigned, 'a number'),
    hash: item.get('consensus_hash', isBytes32, 'a hash'),
  })
  for await (const versions of readPages(`${project}/versions`, pageBounds, readVersion, (page, readPage) =>
    fetch.read('rules', page, readPage),
  )) {
    const version = versions.find(({ hash }) => hash === consensusHash)?.version
    if (version !== undefined)
      return fetch.read('rules', `${project}/versions/${version}`, (answer) =>
        read(new Members(answer).get('signed_manifest', isObject, 'a manifest')),
      )
  }
  return null
}

/** The rules within a manifest; null if they break a rule, have another hash, or no developer of the project signed them. */
function signedRules(
  { profile, params }: Pick<RulesParts, 'profile' | 'params'>,
  value: unknown,
  projectId: string,
  consensusHash: string,
): ProjectRules | null {
  const envelope = readEnvelope(value)
  if (envelope === null) return null
  const problems = new ProblemList()
  const { consensus } = envelope.manifest
  checkProjectRules(new MemberChecker(problems, { consensus }, '', ['consensus']), params(), undefined)
  if (!problems.isEmpty) return null
  try {
    const check = checkManifestEnvelope(profile, envelope)
    const isRight = check.ok && check.project_id === projectId && check.consensus_hash === consensusHash
    return isRight ? consensus : null
  } catch (error) {
    // Nobody signed a manifest without a canonical form, or with a developer or a name that is not one.
    if (error instanceof CanonicalJsonError || error instanceof FormatError || error instanceof SlugError)
      return null
    throw error
  }
}

function readEnvelope(value: unknown): ManifestEnvelope | null {
  if (!isObject(value) || !isObject(value.manifest)) return null
  return typeof value.signature === 'string' ? (value as unknown as ManifestEnvelope) : null
}
