import * as z from 'zod'
import { encodeCanonicalJson, isObject, type Problem } from '../../../../protocol/encoding/index.ts'
import { deriveProjectId, deriveVaultAddress, isSlug } from '../../../../protocol/identity/index.ts'
import { deriveManifestHashes, type ProjectManifest, tiers } from '../../../../protocol/manifest/index.ts'
import type { HubContext } from '../../../context.ts'
import { json } from '../../../http/answer.ts'
import { Address, Bytes32 } from '../../../http/formats.ts'
import { requireKeyProject, walletOf } from '../../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../../route.ts'
import { hashesExample, manifestExample } from '../../projects/example.ts'
import { ManifestBody } from '../../projects/manifest-shape.ts'
import { manifestOf } from '../../projects/view.ts'
import { manifestBody } from './manifest-body.ts'
import { findFixedProblems, findProblems } from './manifest-check.ts'
import { changesOf } from './version-changes.ts'

const Prepared = z
  .strictObject({
    valid: z.boolean(),
    problems: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
    canonical: z
      .nullable(z.string())
      .describe('The text to sign by EIP-191; null if the manifest has problems.'),
    manifest_hash: Bytes32.nullable(),
    consensus_hash: Bytes32.nullable(),
    project_id: Bytes32.nullable().describe('Null if developer or slug is invalid.'),
    vault: Address.nullable().describe(
      'The required value of `consensus.economics.vault`; null if developer or slug is invalid, or if this hub has no vault factory.',
    ),
    tier_changes: z
      .array(z.enum(tiers))
      .nullable()
      .describe(
        'Compared with the version in force; null for a first version, for a project of another wallet, and if the manifest has problems.',
      ),
  })
  .meta({ id: 'PreparedManifest' })

export const prepareProject = defineRoute(
  {
    method: 'post',
    path: '/v1/developers/projects/prepare',
    operationId: 'prepareProject',
    tag: 'Projects',
    summary: 'Check a manifest and get the text to sign',
    description:
      'Stores nothing. Answers 200 also for an invalid manifest, with all its problems. An API key that is restricted to some projects can prepare only their manifests.',
    auth: { session: true, apiKey: 'projects:write' },
    json: manifestBody(ManifestBody, { manifest: manifestExample }),
    responses: ok('The problems of the manifest, or the text to sign.', Prepared, {
      valid: true,
      problems: [],
      canonical: '{"chain_id":31337,"consensus":{"economics":{…}},…}',
      ...hashesExample,
      vault: manifestExample.consensus.economics.vault,
      tier_changes: null,
    }),
  },
  async (c, { json: { envelope, unencodable } }) => {
    const { manifest } = envelope
    const { problems } = await findProblems(c, manifest, unencodable)
    const derived = derive(c, manifest)
    if (derived.project_id !== null) requireKeyProject(c, derived.project_id)
    const refused = (problems: readonly Problem[]) =>
      json({
        valid: false,
        problems,
        canonical: null,
        manifest_hash: null,
        consensus_hash: null,
        ...derived,
        tier_changes: null,
      })
    if (problems.length > 0) return refused(problems)
    const valid = manifest as ProjectManifest
    const hashes = deriveManifestHashes(c.var.settings.PROFILE, valid)
    // Only its developer may learn about a project that is not public yet: anybody may prepare a manifest in their name.
    const own = valid.developer === walletOf(c)
    const known = own ? await c.var.services.projects.findRecord(hashes.project_id) : null
    const inForce = known && manifestOf(known.current)
    const fixed = inForce ? findFixedProblems(inForce, valid) : []
    if (fixed.length > 0) return refused(fixed)
    return json({
      valid: true,
      problems,
      canonical: encodeCanonicalJson(valid),
      ...hashes,
      ...derived,
      tier_changes: inForce && (await changesOf(c, inForce, valid, hashes)),
    })
  },
)

/** Project id and vault follow from developer and slug alone, so that a form can show them before the rest is filled in. */
function derive(c: HubContext, manifest: unknown): { project_id: string | null; vault: string | null } {
  const { PROFILE: profile, CHAIN_CONTRACTS: contracts } = c.var.settings
  const { developer, slug } = isObject(manifest) ? manifest : {}
  if (!isSlug(slug) || !Address.safeParse(developer).success) return { project_id: null, vault: null }
  const projectId = deriveProjectId(profile, String(developer), slug)
  return {
    project_id: projectId,
    vault: contracts
      ? deriveVaultAddress(contracts.vault_factory, contracts.vault_implementation, projectId)
      : null,
  }
}
