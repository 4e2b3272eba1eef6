/** The local network: a chain, contracts, a hub, sample data, and nodes. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Deployment } from '../contracts/deploy.ts'
import { epochStart } from '../protocol/committees/index.ts'
import type { Profile } from '../protocol/identity/index.ts'
import { connectTo, fetchFromHub, readNetwork } from '../scripts/hub/network.ts'
import { accounts } from './accounts.ts'
import { type Chain, catchUp, chainPortBeside, reachChain, startChain } from './chain.ts'
import { findDeployment, makeDeployment } from './deployment.ts'
import { StartError } from './errors.ts'
import type { Hub } from './hub.ts'
import { watchLate } from './late-watch.ts'
import type { Lifecycle } from './lifecycle.ts'
import { beginLocalValidators } from './nodes/begin-validators.ts'
import { builtNodectl } from './nodes/build.ts'
import type { LocalNode, NodeRole } from './nodes/local-node.ts'
import { placesOf, startNodes, stopNodes, validatorCount, validatorDirs } from './nodes/local-nodes.ts'
import { hasSets, waitForIndex, waitForSet } from './nodes/ready.ts'
import { timedProjects, waitForRounds } from './open-rounds.ts'
import { commandWith, type Options } from './options.ts'
import { endOrphans, forgetChildren, recordChildren } from './orphans.ts'
import { keepParamsChanges } from './params-changes.ts'
import { passTime } from './pass-time.ts'
import { isAnswered, probePort } from './port.ts'
import { privateKeys } from './private-keys.ts'
import { keepProfile, readProfileFile } from './profile.ts'
import type { Sample, SampleOptions } from './sample/make.ts'
import { keepSchedule } from './schedule.ts'
import { hubSettings } from './settings.ts'
import {
  clearState,
  lockState,
  type NetworkFiles,
  networkFiles,
  readCoordinatorSeed,
  readHubSecret,
  readNodeToken,
  setAside,
  stateFolder,
  withStartErrors,
} from './state.ts'
import { describeNetwork, describeNodes, describeSample, withoutDevices } from './summary.ts'

/**
 * A new chain starts this long before now, and the sample is made then: the beacon of the running epoch comes after the
 * bonds of the sample, so committees are drawn from the first minute on, and any project has a beacon for its running epoch. Longer
 * than an epoch of the sample and the time from its beacon to its start.
 */
const firstPastSecs = 2 * 3_600

/** Ctrl-C waits so long for tasks that run, most of which take three seconds. */
const roundsMs = 15_000

/** Four validators and the three devices of the sample. */
const nodeCount = validatorCount + 3

/** Told to a program that starts the network for its tests. */
const describedAccounts = Object.fromEntries(
  Object.entries(accounts).map(([name, { address }]) => [
    name,
    { address: address.toLowerCase(), key: privateKeys[name as keyof typeof privateKeys] },
  ]),
)

const progress = (step: string): void => console.error(`… ${step}`)
const secondsSince = (startedMs: number): number => (performance.now() - startedMs) / 1000

/**
 * Starts the network, and returns once everything runs.
 *
 * @param args what was typed, to name a command that would work.
 * @throws StartError
 */
export async function runNetwork(options: Options, args: readonly string[], lifecycle: Lifecycle) {
  const startedMs = performance.now()
  lifecycle.onStop(lockState(stateFolder))
  if (await lifecycle.run(() => endOrphans(stateFolder)))
    progress('Stopped the processes of a network that was killed')
  lifecycle.onStop(() => forgetChildren(stateFolder))
  // Data about a chain that is not the network's own is kept apart from the data about its own.
  const folder = options.rpc === null ? stateFolder : path.join(stateFolder, 'rpc')
  const given = options.profile === null ? null : readProfileFile(options.profile)
  const port = await choosePort(args, '--port', options.port)
  if (options.chainPort !== null) await choosePort(args, '--chain-port', options.chainPort)
  if (options.nodes && options.nodePort !== null)
    for (let index = 0; index < nodeCount; index++)
      await choosePort(args, '--node-port', options.nodePort + index)
  // Once nothing is in the way of the start: a command that cannot do its work deletes nothing.
  if (options.fresh) clearState(folder)
  withStartErrors(folder, () => mkdirSync(folder, { recursive: true }))
  const baseUrl = `http://localhost:${port}`
  const files = networkFiles(folder)
  const startOver = commandWith(args, '--fresh', null)
  // A start that was interrupted has made no sample yet, or a part of it: the next one makes it at the same time.
  const isFirst = options.rpc === null && (existsSync(files.firstStart) || !existsSync(files.chain))
  if (isFirst) withStartErrors(folder, () => writeFileSync(files.firstStart, ''))

  progress(options.rpc === null ? 'Starting the chain' : `Looking for the chain at ${options.rpc}`)
  const chainMs = performance.now()
  const chain = await lifecycle.run(
    async () =>
      options.rpc === null
        ? startChain(files.chain, options.chainPort ?? (await chainPortBeside(port)), progress, {
            detached: true,
            startOver,
            pastSecs: isFirst ? firstPastSecs : 0,
            blockSecs: options.blockSecs,
          })
        : reachChain(options.rpc),
    ({ stop }) => stop(),
  )
  recordChildren(stateFolder)
  // A hub that breaks down is started again by Miniflare; a chain is not, because it may have forgotten its last blocks.
  chain.ended.then(() => {
    if (lifecycle.stopping) return
    console.error('Error: The chain stopped unexpectedly. The other parts stop too.')
    return lifecycle.stop(1)
  })
  const profile = keepProfile(files.profile, given, chain.id)
  const paramsChanges = keepParamsChanges(files.paramsChanges, options.paramsChanges, chain.id)
  const found = await findDeployment(files.deployment, chain, profile)
  const first = found ?? (await deploy(files, chain, profile))
  const chainSeconds = secondsSince(chainMs)

  progress(`Starting the hub${options.platform === null ? '' : ' under the limits of Cloudflare'}`)
  const { startHub, LostChainError, OtherVersionError, script } = await prepareHub()
  const platform = options.platform === null ? {} : { platform: options.platform }
  const startHubOf = async (deployment: Deployment) => {
    const vars = hubSettings({
      baseUrl,
      chain,
      profile,
      paramsChanges,
      deployment,
      hubSecret: readHubSecret(folder),
      coordinatorSeed: readCoordinatorSeed(folder),
    })
    const hub = await lifecycle.run(
      () => startHub({ script, port, statePath: files.storage, chainUrl: chain.url, vars, ...platform }),
      ({ stop }) => stop(),
    )
    return { hub, deployment }
  }
  const { hub, deployment } = await startHubOf(first).catch(async (error) => {
    if (error instanceof LostChainError) return startHubOf(await deploy(files, chain, profile))
    if (!(error instanceof OtherVersionError)) throw error
    // Its nodes may be of that version too.
    setAside(files.devices)
    return startHubOf(await deploy(files, chain, profile, 'was written by another version of the hub'))
  })
  recordChildren(stateFolder)
  if (options.platform !== null) lifecycle.onStop(deployOnSignal(hub))

  const endSchedule = await keepSchedule(hub, baseUrl, (error) => {
    if (!lifecycle.stopping) console.error('The scheduled clean-up failed:', error)
  })
  lifecycle.onStop(endSchedule)
  const nodes = options.nodes
    ? networkNodes(files, folder, baseUrl, chain, lifecycle, options.nodePort)
    : null
  // Validators are there by the time that there is something to attest.
  const validators = nodes?.start('validator', validatorDirs(files.validators))
  const sample = options.sample
    ? await addSample(
        { hub: baseUrl, rpcUrl: chain.url, contracts: deployment.contracts, devicesFolder: files.devices },
        lifecycle,
      )
    : null
  const miners = nodes?.start('miner', sample?.dataDirs ?? [])
  if (options.rpc === null) await lifecycle.run(() => catchUpWithHub(baseUrl, chain.url))
  await waitForIndex(files.storage, chain.url)
  await Promise.all([validators, miners])
  await nodes?.waitUntilReady(sample?.projectId ?? null)
  // The figures of the network count its devices from the start on.
  await hub.runSchedule()
  rmSync(files.firstStart, { force: true })
  const seconds = { all: secondsSince(startedMs), chain: chainSeconds, deployed: deployment !== found }
  const running = nodes?.running() ?? []
  const parts = [
    describeNetwork(baseUrl, folder, startOver, chain, profile, deployment, seconds),
    ...(sample === null ? [] : [describeSample(baseUrl, sample)]),
    ...(running.length === 0 ? [] : [describeNodes(running, folder)]),
  ]
  console.log(parts.join('\n'))
  process.send?.({
    hub: { url: baseUrl },
    chain: { url: chain.url, id: chain.id },
    accounts: describedAccounts,
    project_id: sample?.projectId ?? null,
  })
  lifecycle.onStop(watchLate(baseUrl, (line) => console.error(line)))
  if (running.length > 0) lifecycle.onStop(() => endRounds(baseUrl))
}

/** Before the nodes stop: a device that has not voted by the time that the network goes on is late, and loses collateral. */
async function endRounds(hub: string): Promise<void> {
  const network = connectTo(hub, fetchFromHub, { attempts: 1 })
  const onWait = () => progress('Waiting for open rounds to end')
  await waitForRounds(network, await timedProjects(network), onWait, roundsMs)
}

/**
 * Brings the chain to the time of the machine, and to that of the hub where it was moved: a chain that does not run stands
 * still, the hub's lead on the machine does not shrink, and no task is final before a block that is later than it.
 */
async function catchUpWithHub(hub: string, rpcUrl: string): Promise<void> {
  await catchUp(rpcUrl)
  await passTime(await readNetwork(hub), rpcUrl, 0)
}

/** SIGUSR2 deploys the hub again. @returns what ends that. */
function deployOnSignal({ deploy }: Pick<Hub, 'deploy'>): () => void {
  const onSignal = () => {
    progress('Deploying the hub: every socket closes')
    deploy().catch((error) => console.error('The deployment failed:', error))
  }
  process.on('SIGUSR2', onSignal)
  return () => process.off('SIGUSR2', onSignal)
}

/** The network is complete without sample data, so a failure ends nothing: null when it could not be made. */
function addSample(options: SampleOptions, lifecycle: Lifecycle): Promise<Sample | null> {
  progress('Making the sample data')
  return orGoOn(
    lifecycle,
    (reason) =>
      `The sample data could not be made. ${reason}. The network goes on without it: start it again to make the missing data, or with --no-sample to start without sample data.`,
    async () => (await import('./sample/make.ts')).makeSample(options),
  )
}

/** The nodes of the network: started in turns, and stopped in the other order. It goes on without them where they fail. */
function networkNodes(
  files: NetworkFiles,
  folder: string,
  hub: string,
  chain: Chain,
  lifecycle: Lifecycle,
  firstPort: number | null,
) {
  const running: Record<NodeRole, readonly LocalNode[]> = { validator: [], miner: [] }
  /** Validators first, whichever were there sooner. */
  const all = () => [...running.validator, ...running.miner]
  const orDoWithout = (work: () => Promise<void>) =>
    orGoOn(
      lifecycle,
      (reason) =>
        `The nodes do not work. ${reason}. The network goes on: start it again, or with --no-nodes to start without nodes.`,
      work,
    )
  const surroundings = {
    hub,
    rpcUrl: chain.url,
    profile: files.profile,
    ...(existsSync(files.paramsChanges) && { paramsChanges: files.paramsChanges }),
    apiToken: readNodeToken(folder),
    // The terminal's signals reach this process alone, which stops them in order.
    detached: true,
    onLoss: ({ name, plan }: LocalNode) => {
      if (!lifecycle.stopping) console.error(`${name} ended by itself. Its log says why: ${plan.logFile}`)
    },
  }
  return {
    running: all,
    start: (role: NodeRole, dataDirs: readonly string[]) =>
      orDoWithout(async () => {
        const started = await lifecycle.run(
          async () =>
            startNodes(
              placesOf(role, dataDirs, files.logs),
              { ...surroundings, dist: await builtNodectl() },
              firstPort && firstPort + (role === 'validator' ? 0 : validatorCount),
              () => recordChildren(stateFolder),
            ),
          stopNodes,
        )
        running[role] = started
        if (role === 'validator') await lifecycle.run(() => beginLocalValidators(hub, started))
      }),
    /** Returns once the first task can be given. */
    waitUntilReady: (projectId: string | null) =>
      orDoWithout(async () => {
        await Promise.all(
          all().map(async (node) => {
            const problem = await node.waitUntilKnown()
            if (problem !== null) console.error(`${node.name} gets no work: ${problem}`)
          }),
        )
        if (projectId === null || !(await hasSets(hub, projectId))) return
        const { snapshot } = await waitForSet(hub, projectId)
        const { entries, epoch, epoch_secs } = snapshot
        if (entries.length === 0) console.error(withoutDevices(epochStart(epoch + 1, epoch_secs)))
      }),
  }
}

/** Does what the network can do without: null when it fails, and the reason is told. */
async function orGoOn<T>(
  lifecycle: Lifecycle,
  note: (reason: string) => string,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (!lifecycle.stopping) console.error(note((error as Error).message.replace(/\.$/, '')))
    return null
  }
}

/** Loads the modules that take long, and the bundle of the hub. Called only when nothing prevents a start. */
async function prepareHub() {
  const [{ startHub, LostChainError }, { OtherVersionError }, { bundleHub }] = await Promise.all([
    import('./hub.ts'),
    import('../scripts/wrangler-hub.ts'),
    import('../scripts/bundle.ts'),
    import('../scripts/copy-assets.ts'),
  ])
  return { startHub, LostChainError, OtherVersionError, script: await bundleHub() }
}

/** Deploys the contracts, and sets aside the data of a hub that is about others or that this hub cannot read. */
async function deploy(
  files: NetworkFiles,
  chain: Chain,
  profile: Profile,
  problem = 'belongs to a chain, contracts or names that no longer exist',
): Promise<Deployment> {
  const aside = setAside(files.storage)
  // Validators keep their attestations about a chain and never contradict them.
  setAside(files.validators)
  if (aside !== null) progress(`The hub’s data ${problem}; it is moved to ${aside}`)
  progress('Deploying the contracts')
  return makeDeployment(files.deployment, chain, profile)
}

async function choosePort(
  args: readonly string[],
  option: '--port' | '--chain-port' | '--node-port',
  port: number,
): Promise<number> {
  const inUse = () =>
    new StartError(
      `Port ${port} is in use by another program. Choose another one: ${commandWith(args, option, String(port === 65_535 ? 8788 : port + 1))}`,
    )
  if (port !== 0 && (await isAnswered(port))) throw inUse()
  try {
    return await probePort(port)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw code === 'EADDRINUSE' ? inUse() : new StartError(`Port ${port} cannot be opened: ${message}`)
  }
}
