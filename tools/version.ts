import { changedTiers, type ProjectManifest } from '../protocol/manifest/index.ts'
import { signedManifest } from '../scripts/hub/manifest.ts'
import type { Network } from '../scripts/hub/network.ts'
import type { Wallet } from '../scripts/hub/wallet.ts'
import type { SignedBody } from '../sdk/actions.ts'
import { HubError } from '../sdk/errors.ts'
import type { Schemas } from '../sdk/index.ts'
import { checkManifest } from './manifest-check.ts'
import { print, printStep } from './print.ts'
import { printedRelay, waitForRecord } from './printed-calls.ts'

export type Version = Schemas['ProjectVersion']

/**
 * Signs and submits the next version of a project, and publishes it where it changes the consensus. A version that
 * was submitted before and is not published yet is published.
 *
 * @param draft complete but for the vault and its place among the versions.
 * @returns Null if the manifest equals the latest version, unless that one still has to be published.
 */
export async function submitVersion(
  network: Network,
  wallet: Wallet,
  projectId: string,
  draft: ProjectManifest,
): Promise<Version | null> {
  const { client } = wallet
  printStep('Find the previous version')
  const latest = await readLatest(wallet, projectId)
  const { manifest } = await checkManifest(client, {
    ...draft,
    version: latest.version + 1,
    previous: latest.manifest_hash,
  })
  if (changedTiers(latest.signed_manifest.manifest, manifest).length === 0) {
    print('·', `the manifest equals version ${latest.version}`)
    return latest.status === 'submitted' ? publish(network, wallet, projectId, latest) : null
  }

  printStep('Sign the version (EIP-191), and submit it')
  const { version } = await client.call('POST /v1/developers/projects/{project_id}/versions', {
    path: { project_id: projectId },
    body: signedManifest(wallet.key, manifest),
  })
  return version.status === 'submitted' ? publish(network, wallet, projectId, version) : version
}

/** The newest version that another one can follow. */
async function readLatest({ client }: Wallet, projectId: string) {
  const path = { project_id: projectId }
  const { items } = await client.call('GET /v1/projects/{project_id}/versions', {
    path,
    query: { limit: 100 },
  })
  const latest = items.find(({ status }) => status !== 'rejected')
  if (latest === undefined)
    throw new HubError(`the project ${projectId} has no version that was not rejected`)
  return client.call('GET /v1/projects/{project_id}/versions/{version}', {
    path: { ...path, version: latest.version },
  })
}

async function publish(
  network: Network,
  wallet: Wallet,
  projectId: string,
  { version, consensus_hash, manifest_hash }: Version,
): Promise<Version> {
  printStep('Publish it by signature: the hub pays for the transaction')
  const { client, address } = wallet
  const params = { path: { project_id: projectId, version } }
  const post = (body?: SignedBody) =>
    client.call('POST /v1/developers/projects/{project_id}/versions/{version}/publish', {
      ...params,
      ...(body && { body }),
    })
  const payload = await post()
  if (!('typed_data' in payload)) throw new HubError('the hub returns no payload to sign for the publication')
  const wanted = {
    developer: address,
    projectId,
    version,
    consensusHash: consensus_hash,
    manifestHash: manifest_hash,
  }
  await printedRelay(network, wallet, payload, wanted, post)
  return waitForRecord(
    'the publication to be indexed',
    wallet,
    'GET /v1/projects/{project_id}/versions/{version}',
    params,
    ({ status }) => status !== 'submitted',
  )
}
