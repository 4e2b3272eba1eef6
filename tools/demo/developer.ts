import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { privateKeys } from '../../localnet/accounts.ts'
import { manifestLike } from '../../localnet/sample/manifest.ts'
import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import { unwrap } from '../client/answers.ts'
import type { Network } from '../client/network.ts'
import type { Wallet } from '../client/sign-in.ts'
import { print, printStep } from '../print.ts'
import { printedSignIn, unprinted, waitForRecord } from '../printed-calls.ts'
import { nodectl } from './nodectl.ts'

interface CompiledModule {
  manifest_address: string
  functions: string[]
  hbc_bytes: number
  out: string
  bytes: Uint8Array
}

/** Compiles the examples, uploads and downloads them. */
export async function publishModules(
  { client: open }: Network,
  { client }: Wallet,
  scratch: string,
): Promise<CompiledModule[]> {
  printStep('Compile the example modules with nodectl')
  const sources = readdirSync('examples').filter((name) => name.endsWith('.ts'))
  const modules = sources.map((name) => {
    const out = path.join(scratch, name.replace(/\.ts$/, '.hbc'))
    const compiled = JSON.parse(
      nodectl('compile', path.join('examples', name), '--out', out),
    ) as CompiledModule
    print('·', `${name.padEnd(12)} ${compiled.hbc_bytes} bytes  ${compiled.functions.join(', ')}`)
    print(' ', compiled.manifest_address)
    return { ...compiled, out, bytes: new Uint8Array(readFileSync(out)) }
  })

  printStep('Upload them: the first as base64, the others as bytes')
  for (const [index, { manifest_address, bytes }] of modules.entries()) {
    const params = { path: { address: manifest_address } }
    const { response: known } = await open.GET('/v1/modules/{address}', { params, ...unprinted })
    if (known.ok) print('·', `${manifest_address} was uploaded before`)
    else if (index === 0)
      await unwrap(client.POST('/v1/modules', { body: { hbc_b64: Buffer.from(bytes).toString('base64') } }))
    else
      await unwrap(
        client.PUT('/v1/modules/{address}/hbc', {
          params,
          headers: { 'Content-Type': 'application/octet-stream' },
          body: bytes,
          bodySerializer: (artifact) => artifact,
        }),
      )
  }

  printStep('List them')
  await unwrap(open.GET('/v1/modules', { params: { query: { limit: 3 } } }))

  printStep('Download each, and compare bytes and address')
  for (const { manifest_address, bytes, out } of modules) {
    const { data, response } = await open.GET('/v1/modules/{address}/hbc', {
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
    print('=', 'same bytes; the same address from the compiler, the hub and nodectl inspect')
  }
  return modules
}

/** Lets the operator of the local network approve it. False where the hub has another operator. */
export async function approveProject(network: Network, projectId: string): Promise<boolean> {
  printStep('An operator reviews it')
  const { client } = await printedSignIn(network, privateKeys.operator)
  const me = await unwrap(client.GET('/v1/me'))
  if (!me.roles.includes('operator')) return false
  await unwrap(client.GET('/admin/v1/review-queue'))
  const params = { path: { project_id: projectId } }
  await unwrap(client.POST('/admin/v1/projects/{project_id}/review', { params, body: { action: 'approve' } }))
  await waitForRecord(
    'the review to be applied',
    () => client.GET('/v1/projects/{project_id}', { params, ...unprinted }),
    ({ listing_status }) => listing_status === 'listed',
  )
  await unwrap(client.GET('/admin/v1/audit-log', { params: { query: { subject: projectId } } }))
  return true
}

/** The manifest of this demo's project, whose worker is the module that hashes. */
export function demoManifest(
  { profile, contracts }: Network,
  developer: string,
  modules: readonly CompiledModule[],
): ProjectManifest {
  const { manifest_address: worker, functions } =
    modules.find(({ functions }) => functions.includes('sha256')) ?? (modules[0] as CompiledModule)
  const token = contracts?.token ?? ''
  const texts = {
    slug: `demo-${developer.slice(2, 10)}`,
    name: 'Hashing demo',
    tagline: 'Digests of anything',
    description: 'Computes SHA-256 on a committee of nodes.',
  }
  // The vault is a guess: the hub says which one it has to be.
  return manifestLike(texts, { profile, developer, worker, functions, token, vault: token })
}
