/** The local network itself: a chain, contracts and a hub. start.ts runs it, and it ends with that. */
import path from 'node:path'
import type { Deployment } from '../contracts/deploy.ts'
import { profileStrings } from '../protocol/identity/index.ts'
import { accounts, privateKeys } from './accounts.ts'
import { type Chain, reachChain, startChain } from './chain.ts'
import { findDeployment, makeDeployment, profileOf } from './deployment.ts'
import type { Hub } from './hub.ts'
import { endLeftovers, forgetGroup, noteGroup } from './leftovers.ts'
import { commandWith, type Options, readOptions } from './options.ts'
import { probePort } from './port.ts'
import type { SampleOptions } from './sample/make.ts'
import { hubSettings } from './settings.ts'
import {
  clearState,
  lockState,
  type NetworkFiles,
  networkFiles,
  readHubSecret,
  StartError,
  setAside,
  stateFolder,
} from './state.ts'

/** How often crons run; nothing else runs them here. */
const cronMs = 5 * 60_000

const args = process.argv.slice(2)

/** What must be ended, in the order in which it began. */
const running: (() => unknown)[] = []
let stopping = false

async function stop(code: number): Promise<never> {
  if (stopping) return new Promise(() => {})
  stopping = true
  for (const end of running.reverse()) {
    try {
      await end()
    } catch (error) {
      console.error('Something did not end as it should:', error)
    }
  }
  process.exit(code)
}

const progress = (step: string): void => console.error(`… ${step}`)
// A terminal that is closed, or a pipe that nobody reads any more, is no reason to end without writing anything down.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

async function main(): Promise<void> {
  try {
    stopWhenTold()
    await start(readOptions(args))
  } catch (error) {
    const expected = error instanceof StartError
    console.error(expected ? `Error: ${error.message}` : error)
    await stop(expected ? error.exitCode : 70)
  }
}

/** By a signal, or by the end of standard input: that is how this process learns that the one which started it is gone. */
function stopWhenTold(): void {
  const told = () => {
    if (!stopping) progress('Stopping')
    return stop(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Miniflare's own handlers end the process at once, before its databases are closed.
    process.removeAllListeners(signal)
    process.on(signal, told)
  }
  process.stdin.removeAllListeners('end').on('end', told).resume()
}

async function start(options: Options): Promise<void> {
  const startedMs = performance.now()
  running.push(lockState(stateFolder))
  // Chains of others come and go; what is known of them does not touch the data of the own one.
  const folder = options.rpc === null ? stateFolder : path.join(stateFolder, 'rpc')
  if (options.rpc !== null) running.push(lockState(folder))
  if (await endLeftovers(stateFolder))
    progress('Ended what an earlier network left running when it was killed')
  running.push(() => forgetGroup(stateFolder))
  if (options.fresh) clearState(folder)
  const port = await choosePort('--port', options.port)
  if (options.chainPort !== null) await choosePort('--chain-port', options.chainPort)
  const baseUrl = `http://localhost:${port}`
  const files = networkFiles(folder)

  progress(options.rpc === null ? 'Starting the chain' : `Looking for the chain at ${options.rpc}`)
  const chainMs = performance.now()
  const chain =
    options.rpc === null
      ? await startChain(files.chain, options.chainPort, progress)
      : await reachChain(options.rpc)
  running.push(chain.stop)
  noteGroup(stateFolder)
  chain.ended.then(chainEnded)
  const found = await findDeployment(files.deployment, chain)
  const deployment = found ?? (await deployAnew(files, chain))
  const chainSeconds = (performance.now() - chainMs) / 1000

  progress('Starting the hub')
  const { startHub, script } = await prepareHub()
  const begin = (made: Deployment) =>
    startHub({
      script,
      port,
      statePath: files.storage,
      vars: hubSettings({ baseUrl, chain, deployment: made, hubSecret: readHubSecret(folder) }),
    })
  const network = await withHub(begin, deployment, files, chain)

  // Without the first run nobody would wake the indexer and the relayer.
  await runCrons(network.hub)
  const crons = setInterval(() => runCrons(network.hub), cronMs)
  running.push(() => clearInterval(crons))
  // Once more, because Miniflare has put its own in between.
  stopWhenTold()
  printReady(baseUrl, folder, chain, network.deployment, {
    all: (performance.now() - startedMs) / 1000,
    chain: chainSeconds,
    deployed: network.deployment !== found,
  })
  if (options.sample)
    await addSample({
      hub: baseUrl,
      profile: profileOf(chain),
      rpcUrl: chain.url,
      contracts: network.deployment.contracts,
      devicesFolder: files.devices,
    })
}

/** Something to look at. The network is as good without it, so a failure ends nothing. */
async function addSample(options: SampleOptions): Promise<void> {
  const startedMs = performance.now()
  try {
    const { makeSample } = await import('./sample/make.ts')
    const { projectId, nodeIds } = await makeSample(options)
    const keys = nodeIds.map(
      (nodeId, i) => `    ${nodeId}  ${path.join(options.devicesFolder, String(i + 1))}/`,
    )
    console.log(`  Sample project of the developer (${((performance.now() - startedMs) / 1000).toFixed(1)} s)
    ${options.hub}/v1/projects/${projectId}

  Sample devices of the miner with collateral in it, and their data directories for nodectl
${keys.join('\n')}
`)
  } catch (error) {
    if (!stopping) console.error('The sample data could not be made:', error)
  }
}

/** What takes long to load, and is loaded only once nothing speaks against a start. */
async function prepareHub() {
  const [{ startHub }, { bundleHub }] = await Promise.all([
    import('./hub.ts'),
    import('./bundle.ts'),
    import('../scripts/copy-assets.ts'),
  ])
  return { startHub, script: await bundleHub() }
}

/** Starts the hub; when its data is about blocks that this chain does not have, both begin anew. */
async function withHub(
  begin: (deployment: Deployment) => Promise<Hub>,
  deployment: Deployment,
  files: NetworkFiles,
  chain: Chain,
): Promise<{ hub: Hub; deployment: Deployment }> {
  const hub = await begin(deployment)
  if (await hub.isAbout(chain.url)) {
    running.push(hub.stop)
    return { hub, deployment }
  }
  await hub.stop()
  const anew = await deployAnew(files, chain)
  const second = await begin(anew)
  running.push(second.stop)
  return { hub: second, deployment: anew }
}

/** Deploys the contracts. What a hub knows of others would be wrong of these. */
async function deployAnew(files: NetworkFiles, chain: Chain): Promise<Deployment> {
  const aside = setAside(files.storage)
  if (aside !== null)
    progress(`The hub’s data is about a chain or contracts that are gone; it is set aside in ${aside}`)
  progress('Deploying the contracts')
  return makeDeployment(files.deployment, chain)
}

/** A hub that breaks down is started again by Miniflare; a chain is not, because it may have forgotten its last blocks. */
async function chainEnded(): Promise<void> {
  if (stopping) return
  console.error('Error: The chain ended by itself. Everything else stops too.')
  await stop(1)
}

async function runCrons({ miniflare }: Hub): Promise<void> {
  try {
    // Miniflare starts a hub that broke down again, in another process.
    noteGroup(stateFolder)
    const worker = await miniflare.getWorker('hub')
    await worker.scheduled({ cron: '*/5 * * * *' })
  } catch (error) {
    if (!stopping) console.error('The scheduled clean-up failed:', error)
  }
}

async function choosePort(option: '--port' | '--chain-port', port: number): Promise<number> {
  try {
    return await probePort(port)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new StartError(
      code === 'EADDRINUSE'
        ? `Port ${port} is in use by another program. Choose another one: ${commandWith(args, option, port === 65_535 ? 8788 : port + 1)}`
        : `Port ${port} cannot be opened: ${message}`,
    )
  }
}

interface Seconds {
  readonly all: number
  readonly chain: number
  readonly deployed: boolean
}

function printReady(
  baseUrl: string,
  folder: string,
  chain: Chain,
  { contracts }: Deployment,
  seconds: Seconds,
): void {
  const chainPart = `${seconds.deployed ? 'chain and new contracts' : 'chain'} ${seconds.chain.toFixed(1)} s`
  const profile = profileOf(chain)
  const { token, ...others } = contracts
  const rows = Object.entries({ [profileStrings(profile).token_member]: token, ...others }).map(
    ([name, address]) => `    ${name.padEnd(21)}${address}`,
  )
  const people = Object.entries(accounts).map(
    ([name, { address }]) =>
      `    ${name.padEnd(10)} ${address.toLowerCase()}  ${privateKeys[name as keyof typeof privateKeys]}`,
  )
  console.log(`
The local network is ready (${seconds.all.toFixed(1)} s; ${chainPart}). Ctrl-C stops it.

  Hub API     ${baseUrl}/v1
  Descriptor  ${baseUrl}/
  Reference   ${baseUrl}/docs
  OpenAPI     ${baseUrl}/v1/openapi.json
  Health      ${baseUrl}/v1/status
  Chain       ${chain.url}  (chain id ${chain.id})
  Data        ${folder}/  (npm start -- --fresh begins anew)

  Contracts
${rows.join('\n')}

  Accounts, with keys that everybody has: never send anything of worth to them
${people.join('\n')}

  The relayer deployed the contracts and sends what the hub relays, so send nothing with it yourself.
  Operator, developer and miner each have 100,000 ${profile.token_symbol} of this deployment.
`)
}

await main()
