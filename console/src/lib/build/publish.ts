/** Signs a manifest, and has the chain register its project or publish its version. */
import type { ProjectManifest } from '../../../../protocol/manifest/index.ts'
import { RefusedToSign } from '../../../../sdk/errors.ts'
import { signManifest } from '../../../../sdk/owner-actions.ts'
import { build as texts } from '../texts/build.ts'
import type { Wish } from '../wallet/signing.svelte.ts'
import { build } from './build.ts'
import { askedOf } from './publish-asked.ts'

const t = texts.publish

export function publishWish(manifest: ProjectManifest, project_id: string): Wish {
  const { slug, version, developer } = manifest
  const isFirst = version === 1
  return {
    title: isFirst ? t.register(manifest.listing.name) : t.version(manifest.listing.name, version),
    asked: askedOf(manifest, project_id),
    perform: async ({ hub, wallet, options, show }) => {
      // A text cannot be signed for another wallet than the one that it names.
      if (wallet.address.toLowerCase() !== developer) throw new RefusedToSign(t.otherWallet(developer))
      await show({
        effects: t.effects,
        doubt: null,
        fields: [
          ['developer', developer],
          ['slug', slug],
          ['version', String(version)],
          ['worker', manifest.consensus.modules.worker],
        ],
        domain: null,
        costWei: null,
        signatures: 1,
      })
      if (isFirst) return hub.projects.register(manifest, wallet, options)
      const { publish_tx } = await build.submitVersion(project_id, await signManifest(wallet, manifest))
      return publish_tx === null ? null : hub.projects.publish({ project_id, manifest }, wallet, options)
    },
  }
}
