/** `npm run -s submit`: brings a project from its manifest to the review of an operator, and its further versions after it. */
import { readFileSync } from 'node:fs'
import { epochStart } from '../protocol/committees/index.ts'
import { deriveProjectId, isSlug } from '../protocol/identity/index.ts'
import { readArguments } from '../scripts/command/arguments.ts'
import { UsageError } from '../scripts/command/errors.ts'
import { runCommand } from '../scripts/command/run.ts'
import { completeManifest, type ManifestDraft } from '../scripts/hub/manifest.ts'
import { type Network, readNetwork } from '../scripts/hub/network.ts'
import type { Wallet } from '../scripts/hub/wallet.ts'
import { HubError } from '../sdk/errors.ts'
import { isLocalChain } from '../sdk/wallets.ts'
import { amountHelp, exampleAmount, readAmount } from './amounts.ts'
import { requireFunds } from './balance.ts'
import { hubHelp, readHub } from './options/hub.ts'
import { keyHelp, keyOptions, readKey } from './options/key.ts'
import { printStep, utc } from './print.ts'
import { printedFetch, printedSignIn } from './printed-calls.ts'
import { enroll, registerProject } from './project.ts'
import { submitVersion, type Version } from './version.ts'
import { readWorker, uploadWorker } from './worker.ts'

const usage = `Usage: npm run -s submit -- MANIFEST WORKER [--fund AMOUNT] [--as NAME | --key-env VARIABLE] [--hub URL] [--rpc URL]

Signs in, enrolls the wallet as a developer if needed, fills in the members of the manifest that follow from wallet and
network, has the hub check it, signs it, and registers the project by signature. For a registered project it submits the
next version, and publishes it if it changes the project rules. Prints every request, and the project's id last.

  MANIFEST            a file such as examples/project/manifest.json; version and previous are filled in
  WORKER              an .hbc file, which is uploaded, or the address of an uploaded module; it has the manifest's functions
  --fund AMOUNT       opens the project's vault if it is not open, and tops it up to the amount, given ${amountHelp}.
                      A second run adds only the missing part. The wallet sends and pays for these transactions;
                      its balance is checked before anything is submitted
  ${keyHelp('developer')}
  --hub URL           ${hubHelp}
  --rpc URL           the chain that these transactions are sent to (default the one that the hub names)

Examples:
  npm run -s submit -- examples/project/manifest.json hello.hbc
  npm run -s submit -- examples/project/manifest.json hello.hbc --fund "${exampleAmount(500)}"`

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
  // Of which token it is, the network says.
  if (fund !== undefined) readAmount('--fund', fund, null)
  if (rpc !== undefined && !/^https?:$/.test(URL.parse(rpc)?.protocol ?? ''))
    throw new UsageError(`--rpc must be an http or https URL, not "${rpc}".`)
  const draft = readManifest(file)
  const worker = readWorker(workerText)
  const hub = readHub(values.hub)
  const key = readKey(values, 'developer', hub)

  printStep('Read the network descriptor, and sign in')
  const network = await readNetwork(hub, printedFetch)
  const { profile, contracts } = network
  if (contracts === null) throw new HubError(`the hub at ${hub} has no chain to register a project on`)
  const amount = fund === undefined ? null : BigInt(readAmount('--fund', fund, profile.token_symbol))
  const wallet = await printedSignIn(network, key)
  const known = await findRegistered(network, wallet, draft.slug)
  if (amount !== null) await requireFunds(network, wallet, known, amount)
  await enroll(wallet, 'A developer')
  await uploadWorker(wallet, worker)
  const { token } = contracts
  // The vault is a guess: the hub says which one it has to be.
  const parts = { profile, developer: wallet.address, worker: worker.address, token, vault: token }
  const manifest = completeManifest(draft, parts)
  const [projectId, state] =
    known === null
      ? [
          await registerProject(network, wallet, { ...manifest, version: 1, previous: null }),
          'The project waits for the review of an operator',
        ]
      : [
          known,
          await describeVersion(
            network,
            await submitVersion(network, wallet, known, manifest),
            manifest.consensus.work.epoch_secs,
            amount !== null,
          ),
        ]
  if (amount !== null) {
    const { fundProject } = await import('./vault.ts')
    await fundProject(network, wallet, projectId, rpc, amount)
  }
  console.log(`\n${state}:\n${projectId}`)
})

/** The project of that slug, where it is registered; null if its registration is still to be made. */
async function findRegistered(
  { profile }: Network,
  { address, client: own }: Wallet,
  slug: unknown,
): Promise<string | null> {
  // The hub says what is wrong with another one.
  if (!isSlug(slug)) return null
  const projectId = deriveProjectId(profile, address, slug)
  const project = await own.find('GET /v1/projects/{project_id}', { path: { project_id: projectId } })
  return project === null || project.listing_status === 'submitted' ? null : projectId
}

/** @throws {@link HubError} where nothing was left to do. */
async function describeVersion(
  network: Network,
  version: Version | null,
  epochSecs: number,
  isFunded: boolean,
): Promise<string> {
  if (version === null) {
    if (isFunded) return 'The project is unchanged'
    throw new HubError('the manifest equals the latest version: nothing to submit')
  }
  const { version: number, status, effective_epoch } = version
  if (status === 'active' || effective_epoch === null) return `Version ${number} is ${status}`
  const at = epochStart(effective_epoch, epochSecs)
  const state = `Version ${number} is published, and active from epoch ${effective_epoch} on, which starts at ${utc(at)}`
  if (!isLocalChain(network.profile.chain_id)) return state
  // Whole minutes, of which the last one is begun.
  const minutes = Math.max(1, Math.ceil((at - (await network.now())) / 60))
  return `${state}. In a checkout, "npm run -s pass-time -- ${minutes}m" moves the time of a local network there`
}

/** Not checked further: the hub names everything that is wrong with a manifest. */
function readManifest(file: string): ManifestDraft {
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof manifest?.consensus !== 'object') throw new Error('it has no consensus')
    return manifest
  } catch (error) {
    throw new UsageError(`${file} is not a manifest: ${(error as Error).message}`)
  }
}
