import { manifestLike } from '../../localnet/sample/manifest.ts'
import { echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'
import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import { signedManifest } from '../../scripts/hub/manifest.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import type { Wallet } from '../../scripts/hub/wallet.ts'
import { tokenOf } from './account.ts'
import type { Givens, Shown } from './given.ts'
import { madeOnce } from './made-once.ts'
import type { Stage } from './stage.ts'

const newName = () => `ada_${crypto.randomUUID().slice(0, 8)}`

const newProject = async (stage: Stage, developer: Wallet) => ({
  developer,
  manifest: await manifestOf(stage, developer),
})

/** Complete, with the vault that the hub names. */
async function manifestOf({ manifest, profile }: Stage, { address, client }: Wallet) {
  const { modules, work, economics } = manifest.manifest.consensus
  const texts = { slug: newName().replace('_', '-'), name: 'Ada', tagline: '', description: '' }
  const parts = {
    ...{ profile, developer: address, worker: modules.worker, functions: work.functions },
    ...{ token: economics.reward_token, vault: economics.vault },
  }
  const draft = manifestLike(texts, parts)
  const { vault } = await client.call('POST /v1/developers/projects/prepare', {
    body: { manifest: draft as never },
  })
  return manifestLike(texts, { ...parts, vault: String(vault) })
}

async function submitted(stage: Stage) {
  const { developer, manifest } = await newProject(stage, await stage.newDeveloper())
  const { project, register_by_sig } = await developer.client.call('POST /v1/developers/projects', {
    body: signedManifest(developer.key, manifest),
  })
  const path = { project_id: project.project_id }
  const body = await stage.signed(developer, register_by_sig as never)
  return { developer, manifest, token: developer.token, path, body }
}

/** Waits for the review of an operator. */
export async function registered(stage: Stage) {
  const { body, ...project } = await submitted(stage)
  const { client } = project.developer
  const { path } = project
  await client.call('POST /v1/developers/projects/{project_id}/register', { path, body })
  await waitFor(
    'the registration to be indexed',
    () => client.call('GET /v1/projects/{project_id}', { path }),
    ({ listing_status }) => listing_status === 'pending_review',
  )
  return project
}

/** The next version of a project, with other project rules: one in each language. */
const nextVersion = (stage: Stage, { turn }: Shown) =>
  madeOnce(stage, `version ${turn}`, () => newVersion(stage))

async function newVersion(stage: Stage) {
  const { developer, manifest, path, token } = await registered(stage)
  await stage.list(path)
  const { manifest_hash } = await developer.client.call('GET /v1/projects/{project_id}/manifest', { path })
  const { consensus } = manifest
  const next: ProjectManifest = {
    ...manifest,
    version: 2,
    previous: manifest_hash,
    consensus: { ...consensus, work: { ...consensus.work, round_secs: consensus.work.round_secs + 1 } },
  }
  return { developer, path, token, body: signedManifest(developer.key, next) }
}

/** A developer without projects on the chain. */
const someDeveloper = (stage: Stage) => madeOnce(stage, 'developer', stage.newDeveloper)
const ofDeveloper = async (stage: Stage) => tokenOf(await someDeveloper(stage))

const draftId = 'my-first-project'
const newDraft = async (stage: Stage) => {
  const { client, token } = await someDeveloper(stage)
  await client.call('PUT /v1/developers/me/drafts/{draft_id}', {
    path: { draft_id: draftId },
    body: { data: {} },
  })
  return { token }
}

const bytesOf = () => {
  const { bytes, manifestAddress } = echoArtifact(newName())
  return { bytes, address: manifestAddress }
}

const ofSample = ({ developer, projectId }: Stage) => ({
  token: developer.token,
  path: { project_id: projectId },
})

/** Writes a review of a miner who works for the project. */
const newReview = async ({ miner: { client, token }, projectId }: Stage) => {
  const path = { project_id: projectId }
  const body = { rating: 5, comment: '' }
  const { review_id } = await client.call('PUT /v1/projects/{project_id}/reviews', { path, body })
  return { token, path: { ...path, review_id } }
}

/** Values for the samples about developers, their projects, reviews and reports. */
export const buildingGivens = {
  enroll: async ({ newWallet }) => tokenOf(await newWallet()),
  putOwnDeveloper: ofDeveloper,
  patchOwnDeveloper: ofDeveloper,
  requestVerification: async (stage) => {
    const { token, address } = await stage.newDeveloper()
    await stage.operator.client.call('POST /admin/v1/developers/{address}/verification', {
      path: { address },
      body: { status: 'rejected' },
    })
    return { token }
  },
  getDeveloper: ({ developer }) => ({ path: { address: developer.address } }),
  createDraft: ofDeveloper,
  putDraft: newDraft,
  getDraft: newDraft,
  deleteDraft: newDraft,
  createApiKey: ofDeveloper,
  revokeApiKey: async (stage) => {
    const { client, token } = await someDeveloper(stage)
    const body = { name: 'Old', scopes: ['modules:write' as const] }
    const { key_id } = await client.call('POST /v1/developers/api-keys', { body })
    return { token, path: { key_id } }
  },

  uploadModule: ({ developer }) => ({
    token: developer.token,
    body: { hbc_b64: Buffer.from(bytesOf().bytes).toString('base64') },
  }),
  uploadModuleBytes: ({ developer }) => {
    const { bytes, address } = bytesOf()
    return { token: developer.token, path: { address }, file: bytes }
  },
  downloadModule: ({ manifest }) => ({ path: { address: manifest.manifest.consensus.modules.worker } }),
  getModule: ({ manifest }) => ({ path: { address: manifest.manifest.consensus.modules.worker } }),
  execute: ({ manifest }) => ({
    body: { module: manifest.manifest.consensus.modules.worker, function: 'echo', input: [1, 2, 3] },
  }),

  prepareProject: async (stage) => {
    const { developer, manifest } = await newProject(stage, await someDeveloper(stage))
    return { token: developer.token, body: { manifest } }
  },
  createProject: async (stage) => {
    const { developer, manifest } = await newProject(stage, await someDeveloper(stage))
    return { token: developer.token, body: signedManifest(developer.key, manifest) }
  },
  registerProject: submitted,
  createProjectVersion: nextVersion,
  // The sample of the call before has created it.
  publishProjectVersion: async (stage, shown) => {
    const { developer, path, token } = await nextVersion(stage, shown)
    const place = { ...path, version: 2 }
    const payload = await developer.client.call(
      'POST /v1/developers/projects/{project_id}/versions/{version}/publish',
      {
        path: place,
      },
    )
    return { token, path: place, body: await stage.signed(developer, payload as never) }
  },
  createSimulation: (stage) => ({
    ...ofSample(stage),
    body: { tasks: [{ function: 'echo', input: [1, 2, 3] }] },
  }),
  getSimulation: async (stage) => {
    const { token, path } = ofSample(stage)
    const { simulation_id } = await stage.developer.client.call(
      'POST /v1/developers/projects/{project_id}/simulations',
      {
        path,
        body: { tasks: [{ function: 'echo', input: 1 }] },
      },
    )
    return { token, path: { ...path, simulation_id } }
  },
  createAnnouncement: ofSample,
  deleteAnnouncement: async (stage) => {
    const { token, path } = ofSample(stage)
    const { announcement_id } = await stage.developer.client.call(
      'POST /v1/developers/projects/{project_id}/announcements',
      {
        path,
        body: { title: 'Old', content: 'Over.', type: 'update' },
      },
    )
    return { token, path: { ...path, announcement_id } }
  },
  uploadAsset: ({ developer }) => tokenOf(developer),
  getAsset: async ({ developer }, { exampleOf }) => {
    const { sha256 } = await developer.client.call('POST /v1/developers/assets', {
      body: exampleOf('uploadAsset') as never,
    })
    return { path: { sha256 } }
  },

  getProject: ({ projectId }) => ({ path: { project_id: projectId } }),
  getProjectVersion: () => ({ path: { version: 1 } }),
  checkCompatibility: () => ({}),
  putReview: ({ miner }) => tokenOf(miner),
  deleteReview: newReview,
  voteHelpful: async (stage) => ({ ...(await newReview(stage)), token: (await stage.newWallet()).token }),
  reportProject: async ({ newWallet }) => tokenOf(await newWallet()),
} satisfies Givens
