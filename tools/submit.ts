/** `npm run -s submit`: brings a project from its manifest to the review of an operator, and its further versions after it. */
import { readFileSync } from 'node:fs'
import { isAmount } from '../protocol/encoding/index.ts'
import { deriveProjectId, isSlug } from '../protocol/identity/index.ts'
import { unwrapIfFound } from './client/answers.ts'
import { HubError } from './client/connect.ts'
import { completeManifest, type ManifestDraft } from './client/manifest.ts'
import { type Network, readNetwork } from './client/network.ts'
import type { Wallet } from './client/sign-in.ts'
import { readArguments } from './command/arguments.ts'
import { UsageError } from './command/errors.ts'
import { runCommand } from './command/run.ts'
import { hubHelp, readHub } from './options/hub.ts'
import { keyHelp, keyOptions, readKey } from './options/key.ts'
import { printStep } from './print.ts'
import { printedFetch, printedSignIn } from './printed-calls.ts'
import { enroll, registerProject } from './project.ts'
import { fundProject } from './vault.ts'
import { submitVersion, type Version } from './version.ts'
import { readWorker, uploadWorker } from './worker.ts'

const usage = `Usage: npm run -s submit -- MANIFEST WORKER [--fund AMOUNT] [--as NAME | --key-env VARIABLE] [--hub URL] [--rpc URL]

Signs in, enrolls the wallet as a developer if it is none, fills in of the manifest what follows from wallet and network,
lets the hub check it, signs it, and registers the project by signature. Of a project that is registered it submits the next
version, and publishes it where it changes the consensus. Prints every request, and the project's id last.

  MANIFEST            a file such as examples/project/manifest.json; version and previous are filled in
  WORKER              an .hbc file, which is uploaded, or the address of an uploaded module; it has the manifest's functions
  --fund AMOUNT       opens the project's vault if it is not open, and brings what it holds up to so many base units of the
                      token: 10^18 are one token. Run again, it puts in only what is missing. These are transactions of
                      the wallet, which pays for them
  ${keyHelp('developer')}
  --hub URL           ${hubHelp}
  --rpc URL           the chain that these transactions are sent to (default the one that the hub names)

Examples:
  npm run -s submit -- examples/project/manifest.json hello.hbc
  npm run -s submit -- examples/project/manifest.json hello.hbc --fund 500000000000000000000`

await runCommand(async () => {
  const options = {
    ...keyOptions,
    fund: { type: 'string' },
    hub: { type: 'string' },
    rpc: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values, positionals } = readArguments({ allowPositionals: true, options }, usage)
  if (values.help) return console.log(usage)
  const [file, workerText] = positionals
  if (file === undefined || workerText === undefined || positionals.length > 2)
    throw new UsageError(`Name a manifest and its worker.\n\n${usage}`)
  const { fund, rpc } = values
  if (fund !== undefined && !isAmount(fund))
    throw new UsageError(`--fund must be a whole number of base units below 2^256, not "${fund}".`)
  if (rpc !== undefined && !/^https?:$/.test(URL.parse(rpc)?.protocol ?? ''))
    throw new UsageError(`--rpc must be an http or https URL, not "${rpc}".`)
  const draft = readManifest(file)
  const worker = readWorker(workerText)
  const hub = readHub(values.hub)
  const key = readKey(values, 'developer')

  printStep('Read what this network is, and sign in')
  const network = await readNetwork(hub, printedFetch)
  const { profile, contracts } = network
  if (contracts === null) throw new HubError(`the hub at ${hub} has no chain to register a project on`)
  const wallet = await printedSignIn(network, key)
  await enroll(wallet, 'A developer')
  await uploadWorker(wallet, worker)
  const { token } = contracts
  // The vault is a guess: the hub says which one it has to be.
  const parts = { profile, developer: wallet.address, worker: worker.address, token, vault: token }
  const manifest = completeManifest(draft, parts)
  const known = await findRegistered(network, wallet, draft.slug)
  const [projectId, state] =
    known === null
      ? [
          await registerProject(network, wallet, { ...manifest, version: 1, previous: null }),
          'The project waits for the review of an operator',
        ]
      : [known, describeVersion(await submitVersion(network, wallet, known, manifest), fund !== undefined)]
  if (fund !== undefined) await fundProject(network, wallet, projectId, rpc, BigInt(fund))
  console.log(`\n${state}:\n${projectId}`)
})

/** The project of that slug, where it is registered; null where its registration is still to be made. */
async function findRegistered(
  { profile }: Network,
  { address, client: own }: Wallet,
  slug: unknown,
): Promise<string | null> {
  // The hub says what is wrong with another one.
  if (!isSlug(slug)) return null
  const projectId = deriveProjectId(profile, address, slug)
  const project = await unwrapIfFound(
    own.GET('/v1/projects/{project_id}', { params: { path: { project_id: projectId } } }),
  )
  return project === null || project.listing_status === 'submitted' ? null : projectId
}

/** @throws {@link HubError} where nothing was left to do. */
function describeVersion(version: Version | null, isFunded: boolean): string {
  if (version === null) {
    if (isFunded) return 'The project is as it was'
    throw new HubError('the manifest says what the latest version says: there is nothing to submit')
  }
  const { version: number, status, effective_epoch } = version
  return status === 'active'
    ? `Version ${number} is active`
    : `Version ${number} is published, and active from epoch ${effective_epoch} on`
}

/** Not checked further: the hub names everything that is wrong with a manifest. */
function readManifest(file: string): ManifestDraft {
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof manifest?.consensus !== 'object') throw new Error('it has no consensus')
    return manifest
  } catch (error) {
    throw new UsageError(`${file} is no manifest: ${(error as Error).message}`)
  }
}
