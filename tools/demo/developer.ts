import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { privateKeys } from '../../localnet/accounts.ts'
import { manifestLike } from '../../localnet/sample/manifest.ts'
import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import type { Network } from '../../sdk/network.ts'
import type { Wallet } from '../../sdk/sign-in.ts'
import { print, printStep } from '../print.ts'
import { printedSignIn, unprinted, waitForRecord } from '../printed-calls.ts'
import { fundProject } from '../vault.ts'
import { mapInParallel } from './in-parallel.ts'
import { ensure, type Stage } from './stage.ts'

export interface CompiledModule {
  manifest_address: string
  functions: string[]
  hbc_bytes: number
  out: string
  bytes: Uint8Array
}

/** Compiles the examples, uploads and downloads them. */
export async function publishModules(
  { network: { client: open }, nodectl, scratch }: Stage,
  { client }: Wallet,
): Promise<CompiledModule[]> {
  printStep('Compile the example modules with nodectl')
  const sources = readdirSync('examples').filter((name) => name.endsWith('.ts'))
  const modules = await mapInParallel(sources, async (name) => {
    const out = path.join(scratch, name.replace(/\.ts$/, '.hbc'))
    const printed = await nodectl('compile', path.join('examples', name), '--out', out)
    const compiled = JSON.parse(printed) as CompiledModule
    return { ...compiled, name, out, bytes: new Uint8Array(readFileSync(out)) }
  })
  for (const { name, hbc_bytes, functions, manifest_address } of modules) {
    print('·', `${name.padEnd(12)} ${hbc_bytes} bytes  ${functions.join(', ')}`)
    print(' ', manifest_address)
  }

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
  await mapInParallel(modules, async ({ manifest_address, bytes, out }) => {
    const { data, response } = await open.GET('/v1/modules/{address}/hbc', {
      params: { path: { address: manifest_address } },
      parseAs: 'arrayBuffer',
    })
    const body = new Uint8Array(data as ArrayBuffer)
    const again = path.join(scratch, `again-${path.basename(out)}`)
    writeFileSync(again, body)
    const inspected = JSON.parse(await nodectl('inspect', again)) as { manifest_address: string }
    const addresses = new Set([
      manifest_address,
      inspected.manifest_address,
      response.headers.get('x-manifest-address'),
    ])
    ensure(Buffer.compare(body, bytes) === 0 && addresses.size === 1, 'the download is what was uploaded')
  })
  print('=', 'the same bytes; the same addresses from the compiler, the hub and nodectl inspect')
  return modules
}

/** Lets the operator of the local network approve it, and gives that operator. Null where the hub has another one. */
export async function approveProject({ network }: Stage, projectId: string): Promise<Wallet | null> {
  printStep('An operator reviews it')
  const operator = await printedSignIn(network, privateKeys.operator)
  const { client } = operator
  const me = await unwrap(client.GET('/v1/me'))
  if (!me.roles.includes('operator')) return null
  await unwrap(client.GET('/admin/v1/review-queue'))
  const params = { path: { project_id: projectId } }
  await unwrap(client.POST('/admin/v1/projects/{project_id}/review', { params, body: { action: 'approve' } }))
  await waitForRecord(
    'the review to be applied',
    () => client.GET('/v1/projects/{project_id}', { params, ...unprinted }),
    ({ listing_status }) => listing_status === 'listed',
  )
  await unwrap(client.GET('/admin/v1/audit-log', { params: { query: { subject: projectId } } }))
  return operator
}

/** More than the epochs of this demo pay. */
const fundsWei = 100n * 10n ** 18n

/** The developer opens the vault that miners are paid from, and puts tokens of the faucet into it. */
export async function openVault({ network }: Stage, developer: Wallet, projectId: string): Promise<void> {
  printStep('The developer asks the faucet for tokens, which also pay for transactions')
  await unwrap(developer.client.POST('/v1/faucet/drip'))
  await waitForRecord(
    'the tokens to arrive',
    () => developer.client.GET('/v1/me/collateral', unprinted),
    ({ hub_balance }) => BigInt(hub_balance ?? 0) >= fundsWei,
  )
  await fundProject(network, developer, projectId, undefined, fundsWei)
  await waitForRecord(
    'the vault to be indexed',
    () =>
      developer.client.GET('/v1/projects/{project_id}/economics', {
        params: { path: { project_id: projectId } },
        ...unprinted,
      }),
    ({ vault }) => vault.deployed && vault.balance === String(fundsWei),
  )
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
