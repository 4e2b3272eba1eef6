import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type ProjectManifest, signManifest } from '../../protocol/manifest/index.ts'
import { privateKeys } from '../accounts.ts'
import { sampleManifest } from '../sample/manifest.ts'
import { done, until } from './calls.ts'
import type { Network } from './network.ts'
import { nodectl } from './nodectl.ts'
import { show, step } from './show.ts'
import { signAndRelay, signIn, type Wallet } from './wallet.ts'

interface Compiled {
  manifest_address: string
  functions: string[]
  hbc_bytes: number
  out: string
  bytes: Uint8Array
}

/** Compiles the examples, uploads and downloads them. */
export async function publishModules(
  { open }: Network,
  { hub }: Wallet,
  scratch: string,
): Promise<Compiled[]> {
  step('Compile the example modules with nodectl')
  const sources = readdirSync('examples').filter((name) => name.endsWith('.ts'))
  const modules = sources.map((name) => {
    const out = path.join(scratch, name.replace(/\.ts$/, '.hbc'))
    const compiled = JSON.parse(nodectl('compile', path.join('examples', name), '--out', out)) as Compiled
    show('·', `${name.padEnd(12)} ${compiled.hbc_bytes} bytes  ${compiled.functions.join(', ')}`)
    show(' ', compiled.manifest_address)
    return { ...compiled, out, bytes: new Uint8Array(readFileSync(out)) }
  })

  step('Upload them: the first as base64, the others as bytes')
  for (const [index, { manifest_address, bytes }] of modules.entries()) {
    const params = { path: { address: manifest_address } }
    const { response: known } = await open.silent.GET('/v1/modules/{address}', { params })
    if (known.ok) show('·', `${manifest_address} was uploaded before`)
    else if (index === 0)
      await done(hub.shown.POST('/v1/modules', { body: { hbc_b64: Buffer.from(bytes).toString('base64') } }))
    else
      await done(
        hub.shown.PUT('/v1/modules/{address}/hbc', {
          params,
          headers: { 'Content-Type': 'application/octet-stream' },
          body: bytes,
          bodySerializer: (artifact) => artifact,
        }),
      )
  }

  step('List them')
  await done(open.shown.GET('/v1/modules', { params: { query: { limit: 3 } } }))

  step('Download each, and compare bytes and address')
  for (const { manifest_address, bytes, out } of modules) {
    const { data, response } = await open.shown.GET('/v1/modules/{address}/hbc', {
      params: { path: { address: manifest_address } },
      parseAs: 'arrayBuffer',
    })
    const body = new Uint8Array(data as ArrayBuffer)
    const again = path.join(scratch, `again-${path.basename(out)}`)
    writeFileSync(again, body)
    const inspected = JSON.parse(nodectl('inspect', again)) as { manifest_address: string }
    const addresses = new Set([
      manifest_address,
      inspected.manifest_address,
      response.headers.get('x-manifest-address'),
    ])
    if (Buffer.compare(body, bytes) !== 0 || addresses.size !== 1) throw new Error('the download differs')
    show('=', 'same bytes; the same address from the compiler, the hub and nodectl inspect')
  }
  return modules
}

/** Enrolls a wallet that is no developer. Throws where an operator has to approve it. */
export async function enroll({ hub, address }: Wallet, displayName: string): Promise<void> {
  step('Enroll as a developer')
  const known = await hub.shown.GET('/v1/developers/me')
  const developer =
    known.data ??
    (await done(
      hub.shown.POST('/v1/developers/me/enrollment', {
        body: { developer_type: 'individual', display_name: displayName, agreements_accepted: true },
      }),
    ))
  if (developer.enrollment !== 'active')
    throw new Error(
      `the enrollment of ${address} is ${developer.enrollment}: an operator of this hub has to approve it first`,
    )
}

/**
 * Signs a manifest, and registers its project by signature. Returns its id.
 *
 * @param draft Whole but for the vault, which the hub names.
 */
export async function registerProject(
  network: Network,
  wallet: Wallet,
  draft: ProjectManifest,
): Promise<string> {
  const { hub, address } = wallet
  step('Let the hub check the manifest')
  const first = await done(hub.shown.POST('/v1/developers/projects/prepare', { body: { manifest: draft } }))
  // Without a usable slug the hub cannot say where the vault will be.
  if (first.vault === null) throw new Error(tell(first.problems))
  show('·', `the vault has to be ${first.vault}`)
  const manifest = withVault(draft, first.vault)
  const prepared = await done(hub.shown.POST('/v1/developers/projects/prepare', { body: { manifest } }))
  if (!prepared.valid) throw new Error(tell(prepared.problems))

  step('Sign the manifest (EIP-191), and submit it')
  const body = {
    // The types of openapi-fetch want a member left out that can only be null, as the verifier.
    manifest: manifest as never,
    sig_type: 'eip191' as const,
    signature: signManifest(wallet.key, manifest),
  }
  const submitted = await done(hub.shown.POST('/v1/developers/projects', { body }))
  const { project_id: projectId, listing_status } = submitted.project
  show('·', `project ${projectId} is ${listing_status}`)

  step('Register it by signature: the hub pays for the transaction')
  const params = { path: { project_id: projectId } }
  const registration = {
    developer: address,
    slug: manifest.slug,
    worker: manifest.consensus.modules.worker,
    consensusHash: prepared.consensus_hash ?? '',
    manifestHash: prepared.manifest_hash ?? '',
  }
  if (!submitted.register_by_sig) throw new Error('the hub offers no registration by signature')
  await signAndRelay(network, wallet, submitted.register_by_sig, registration, (body) =>
    done(hub.shown.POST('/v1/developers/projects/{project_id}/register', { params, body })),
  )
  await until(
    () => hub.silent.GET('/v1/projects/{project_id}', { params }),
    ({ listing_status }) => listing_status === 'pending_review',
  )
  return projectId
}

/** Lets the operator of the local network approve it. False where the hub has another operator. */
export async function approveProject(network: Network, projectId: string): Promise<boolean> {
  step('An operator reviews it')
  const { hub } = await signIn(network, privateKeys.operator)
  const me = await done(hub.shown.GET('/v1/me'))
  if (!me.roles.includes('operator')) return false
  await done(hub.shown.GET('/admin/v1/review-queue'))
  const params = { path: { project_id: projectId } }
  await done(
    hub.shown.POST('/admin/v1/projects/{project_id}/review', { params, body: { action: 'approve' } }),
  )
  await until(
    () => network.open.silent.GET('/v1/projects/{project_id}', { params }),
    ({ listing_status }) => listing_status === 'listed',
  )
  await done(hub.shown.GET('/admin/v1/audit-log', { params: { query: { subject: projectId } } }))
  return true
}

const withVault = (manifest: ProjectManifest, vault: string): ProjectManifest => ({
  ...manifest,
  consensus: {
    ...manifest.consensus,
    economics: { ...manifest.consensus.economics, vault },
  },
})

/** The manifest of this demo's project, whose worker is the module that hashes. */
export function demoManifest(
  { profile, contracts }: Network,
  developer: string,
  modules: readonly Compiled[],
): ProjectManifest {
  const { manifest_address: worker, functions } =
    modules.find(({ functions }) => functions.includes('sha256')) ?? (modules[0] as Compiled)
  const token = contracts?.token ?? ''
  // The vault is a guess: the hub says which one it has to be.
  const sample = sampleManifest({ profile, developer, worker, functions, token, vault: token })
  return {
    ...sample,
    slug: `demo-${developer.slice(2, 10)}`,
    listing: {
      ...sample.listing,
      name: 'Hashing demo',
      tagline: 'Digests of anything',
      description: 'Computes SHA-256 on a committee of nodes.',
    },
  }
}

const tell = (problems: readonly { path: string; message: string }[]): string =>
  ['the manifest has problems', ...problems.map(({ path: where, message }) => `  ${where}: ${message}`)].join(
    '\n',
  )
