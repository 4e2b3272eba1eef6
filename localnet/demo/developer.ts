import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type ProjectManifest, signManifest } from '../../protocol/manifest.ts'
import { privateKeys } from '../accounts.ts'
import { sampleManifest } from '../sample/manifest.ts'
import { call, until } from './calls.ts'
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
  { hub }: Network,
  { token }: Wallet,
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
    const known = await fetch(`${hub}/v1/modules/${manifest_address}`)
    if (known.ok) show('·', `${manifest_address} was uploaded before`)
    else if (index === 0)
      await call(hub, 'POST', '/v1/modules', {
        token,
        json: { hbc_b64: Buffer.from(bytes).toString('base64') },
      })
    else await call(hub, 'PUT', `/v1/modules/${manifest_address}/hbc`, { token, bytes })
  }

  step('List them')
  await call(hub, 'GET', '/v1/modules?limit=3')

  step('Download each, and compare bytes and address')
  for (const { manifest_address, bytes, out } of modules) {
    const { response, body } = await call(hub, 'GET', `/v1/modules/${manifest_address}/hbc`)
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

/** Enrolls, signs a manifest, registers the project by signature. Returns its id. */
export async function registerProject(
  network: Network,
  wallet: Wallet,
  modules: Compiled[],
): Promise<string> {
  const { hub } = network
  const { token, address } = wallet
  step('Enroll as a developer')
  const { json: developer } = await call(hub, 'POST', '/v1/developers/me/enrollment', {
    token,
    json: { developer_type: 'individual', display_name: 'Demo', agreements_accepted: true },
  })
  if (developer.enrollment !== 'active')
    throw new Error('this hub wants an operator to approve developers first')

  step('Write a manifest, and let the hub check it')
  const worker = modules.find(({ functions }) => functions.includes('sha256')) ?? (modules[0] as Compiled)
  const draft = manifestOf(network, address, worker)
  const { json: first } = await call(hub, 'POST', '/v1/developers/projects/prepare', {
    token,
    json: { manifest: draft },
  })
  for (const { path: where, message } of first.problems) show('!', `${where}: ${message}`)
  show('·', `the vault has to be ${first.vault}`)
  const manifest = withVault(draft, first.vault)
  const { json: prepared } = await call(hub, 'POST', '/v1/developers/projects/prepare', {
    token,
    json: { manifest },
  })
  if (!prepared.valid) throw new Error(`the manifest has problems: ${JSON.stringify(prepared.problems)}`)

  step('Sign the manifest (EIP-191), and submit it')
  const json = { manifest, sig_type: 'eip191', signature: signManifest(wallet.key, manifest) }
  const { json: submitted } = await call(hub, 'POST', '/v1/developers/projects', { token, json })
  const { project_id: projectId, listing_status } = submitted.project
  show('·', `project ${projectId} is ${listing_status}`)

  step('Register it by signature: the hub pays for the transaction')
  const path = `/v1/developers/projects/${projectId}/register`
  await signAndRelay(network, wallet, path, submitted.register_by_sig, {
    developer: address,
    slug: manifest.slug,
    worker: manifest.consensus.modules.worker,
    consensusHash: prepared.consensus_hash,
    manifestHash: prepared.manifest_hash,
  })
  await until(
    hub,
    `/v1/projects/${projectId}`,
    (project) => project.listing_status === 'pending_review',
    token,
  )
  return projectId
}

/** Lets the operator of the local network approve it. False where the hub has another operator. */
export async function approveProject(network: Network, projectId: string): Promise<boolean> {
  const { hub } = network
  step('An operator reviews it')
  const operator = await signIn(network, privateKeys.operator)
  const { json: me } = await call(hub, 'GET', '/v1/me', { token: operator.token })
  if (!me.roles.includes('operator')) return false
  await call(hub, 'GET', '/admin/v1/review-queue', { token: operator.token })
  await call(hub, 'POST', `/admin/v1/projects/${projectId}/review`, {
    token: operator.token,
    json: { action: 'approve' },
  })
  await until(hub, `/v1/projects/${projectId}`, (project) => project.listing_status === 'listed')
  await call(hub, 'GET', `/admin/v1/audit-log?subject=${projectId}`, { token: operator.token })
  return true
}

const withVault = (manifest: ProjectManifest, vault: string): ProjectManifest => ({
  ...manifest,
  consensus: {
    ...manifest.consensus,
    economics: { ...manifest.consensus.economics, vault },
  },
})

function manifestOf(
  { profile, contracts }: Network,
  developer: string,
  { manifest_address: worker, functions }: Compiled,
): ProjectManifest {
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
