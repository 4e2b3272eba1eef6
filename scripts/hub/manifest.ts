import type { Profile } from '../../protocol/identity/index.ts'
import { type ProjectManifest, signManifest } from '../../protocol/manifest/index.ts'

type ProjectRules = ProjectManifest['consensus']

/** A manifest as a developer writes it, without what follows from the wallet and the network. */
export type ManifestDraft = Omit<ProjectManifest, 'network' | 'chain_id' | 'developer' | 'consensus'> & {
  readonly consensus: Omit<ProjectRules, 'modules' | 'economics'> & {
    readonly modules: Omit<ProjectRules['modules'], 'worker'>
    readonly economics: Omit<ProjectRules['economics'], 'reward_token' | 'vault'>
  }
}

export interface ManifestParts {
  readonly profile: Profile
  readonly developer: string
  /** Address of the uploaded module that does the work. */
  readonly worker: string
  readonly token: string
  readonly vault: string
}

/** A manifest with the signature of its developer, as the hub takes both. */
export const signedManifest = (key: string, manifest: ProjectManifest) => ({
  // The generated types want a member left out that can only be null, as the verifier.
  manifest: manifest as never,
  sig_type: 'eip191' as const,
  signature: signManifest(key, manifest),
})

/** Fills in what follows from the wallet and the network. */
export const completeManifest = (
  draft: ManifestDraft,
  { profile, developer, worker, token, vault }: ManifestParts,
): ProjectManifest => ({
  ...draft,
  network: profile.network,
  chain_id: profile.chain_id,
  developer,
  consensus: {
    ...draft.consensus,
    modules: { ...draft.consensus.modules, worker },
    economics: { ...draft.consensus.economics, reward_token: token, vault },
  },
})
