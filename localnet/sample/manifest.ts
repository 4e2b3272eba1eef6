import exampleManifest from '../../examples/project/manifest.json' with { type: 'json' }
import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import { completeManifest, type ManifestDraft, type ManifestParts } from '../../scripts/hub/manifest.ts'

export const sampleSlug = 'sample-echo'

/** A project that three devices can work for, without waiting long for anything. */
const example = exampleManifest as unknown as ManifestDraft

export const sampleCollateralWei = BigInt(example.consensus.economics.min_collateral)

/** The texts in which a project differs from the example. */
export type ProjectTexts = Pick<ProjectManifest, 'slug'> &
  Pick<ProjectManifest['listing'], 'name' | 'tagline' | 'description'>

/** The example manifest, of another project. */
export function manifestLike(
  { slug, ...texts }: ProjectTexts,
  { functions, ...parts }: ManifestParts & { readonly functions: readonly string[] },
): ProjectManifest {
  const { consensus, listing } = example
  return completeManifest(
    {
      ...example,
      slug,
      consensus: { ...consensus, work: { ...consensus.work, functions } },
      listing: { ...listing, tags: ['sample'], ...texts },
    },
    parts,
  )
}
