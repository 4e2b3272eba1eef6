import type { ProjectManifest } from '../protocol/manifest/index.ts'
import { signedManifest } from '../scripts/hub/manifest.ts'
import type { Network } from '../scripts/hub/network.ts'
import type { Wallet } from '../scripts/hub/wallet.ts'
import { HubError } from '../sdk/errors.ts'
import { checkManifest } from './manifest-check.ts'
import { print, printStep } from './print.ts'
import { printedRelay, waitForRecord } from './printed-calls.ts'

/** Enrolls a wallet that is not a developer. @throws HubError where an operator has to approve it. */
export async function enroll({ client, address }: Wallet, displayName: string): Promise<void> {
  printStep('Enroll as a developer')
  const developer =
    (await client.find('GET /v1/developers/me')) ??
    (await client.call('POST /v1/developers/me/enrollment', {
      body: { developer_type: 'individual', display_name: displayName, agreements_accepted: true },
    }))
  if (developer.enrollment.status !== 'active')
    throw new HubError(
      `the enrollment of ${address} is ${developer.enrollment.status}: an operator of this hub has to approve it first`,
    )
}

/**
 * Signs a manifest, and registers its project by signature. Returns its id.
 *
 * @param draft complete but for the vault, which the hub names.
 */
export async function registerProject(
  network: Network,
  wallet: Wallet,
  draft: ProjectManifest,
): Promise<string> {
  const { client, address } = wallet
  const { manifest, consensusHash, manifestHash } = await checkManifest(client, draft)

  printStep('Sign the manifest (EIP-191), and submit it')
  const body = signedManifest(wallet.key, manifest)
  const submitted = await client.call('POST /v1/developers/projects', { body })
  const { project_id: projectId, listing_status } = submitted.project
  print('·', `project ${projectId} is ${listing_status}`)

  printStep('Register it by signature: the hub pays for the transaction')
  const params = { path: { project_id: projectId } }
  const wanted = {
    developer: address,
    slug: manifest.slug,
    worker: manifest.consensus.modules.worker,
    consensusHash,
    manifestHash,
  }
  if (!submitted.register_by_sig) throw new HubError('the hub offers no registration by signature')
  await printedRelay(network, wallet, submitted.register_by_sig, wanted, (body) =>
    client.call('POST /v1/developers/projects/{project_id}/register', { ...params, body }),
  )
  await waitForRecord(
    'the registration to be indexed',
    wallet,
    'GET /v1/projects/{project_id}',
    params,
    ({ listing_status }) => listing_status === 'pending_review',
  )
  return projectId
}
