import type { ProjectManifest } from '../protocol/manifest/index.ts'
import { HubError } from '../sdk/errors.ts'
import type { Hub } from '../sdk/index.ts'
import { print, printStep } from './print.ts'

/**
 * Has the hub check a manifest, after it named the vault.
 *
 * @param draft complete but for the vault.
 * @returns A manifest that the hub takes, and its hashes as the chain takes them.
 * @throws {@link HubError} that lists every problem.
 */
export async function checkManifest(client: Hub, draft: ProjectManifest) {
  printStep('Let the hub check the manifest')
  const first = await client.call('POST /v1/developers/projects/prepare', { body: { manifest: draft } })
  // Without a usable slug the hub cannot say where the vault will be.
  if (first.vault === null) throw hasProblems(first.problems)
  print('·', `the vault has to be ${first.vault}`)
  const manifest = withVault(draft, first.vault)
  const prepared = await client.call('POST /v1/developers/projects/prepare', { body: { manifest } })
  if (!prepared.valid) throw hasProblems(prepared.problems)
  return {
    manifest,
    consensusHash: prepared.consensus_hash ?? '',
    manifestHash: prepared.manifest_hash ?? '',
  }
}

const withVault = (manifest: ProjectManifest, vault: string): ProjectManifest => ({
  ...manifest,
  consensus: { ...manifest.consensus, economics: { ...manifest.consensus.economics, vault } },
})

const hasProblems = (problems: readonly { path: string; message: string }[]): HubError =>
  new HubError(
    ['the manifest has problems', ...problems.map(({ path, message }) => `  ${path}: ${message}`)].join('\n'),
  )
