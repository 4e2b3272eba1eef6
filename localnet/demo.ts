/** `npm run demo`: a developer and a miner meet the hub, shown step by step. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readArguments } from './arguments.ts'
import { done, refused } from './demo/calls.ts'
import { approveProject, demoManifest, enroll, publishModules, registerProject } from './demo/developer.ts'
import { mine } from './demo/miner.ts'
import { type Network, readNetwork, startOwnNetwork } from './demo/network.ts'
import { show, step } from './demo/show.ts'
import { signIn } from './demo/wallet.ts'
import { namedHub, usualHub } from './hub-option.ts'
import { UsageError } from './state.ts'

const usage = `Usage: npm run demo [-- --hub URL | --own]

A developer signs in, publishes the modules of examples/ and registers a project by signature, an operator approves it,
and a miner binds a device made with nodectl, stakes on the project, sets where rewards go, and leaves with the stake.
Uses the hub at URL or in HUB_URL, else one running on ${usualHub}, else starts a whole network for itself, as
--own always does; only there nobody has to wait a day for the end of unbonding.`

async function demo(hub: string, passTime: Network['passTime'], scratch: string): Promise<void> {
  console.log(`A developer meets the hub at ${hub}`)
  step('Read what this network is')
  const network = await readNetwork(hub, passTime)

  step('Make a wallet, and sign in with it (EIP-4361)')
  const developer = await signIn(network)
  const session = developer.hub.shown
  await done(session.GET('/v1/auth/session'))
  const modules = await publishModules(network, developer, scratch)
  if (network.contracts === null) show('·', 'this hub has no chain: nothing can be registered or staked here')
  else {
    await enroll(developer, 'Demo')
    const manifest = demoManifest(network, developer.address, modules)
    const projectId = await registerProject(network, developer, manifest)
    if (await approveProject(network, projectId)) await mine(network, projectId, scratch)
    else show('·', 'this hub has an operator of its own, whose review the project waits for')
  }

  step('Log out')
  await done(session.GET('/v1/me'))
  await done(session.POST('/v1/auth/logout'))
  await refused(session.GET('/v1/auth/session'), 401)
  console.log('\nDone. Everything above was a real request to a real hub.')
}

const answers = (hub: string): Promise<boolean> =>
  fetch(`${hub}/v1/status`).then(
    ({ ok }) => ok,
    () => false,
  )

async function main(scratch: string): Promise<void> {
  const options = {
    hub: { type: 'string' },
    own: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values } = readArguments({ options }, usage)
  if (values.help) return console.log(usage)
  if (values.own && values.hub !== undefined) throw new UsageError('Give --own or --hub, not both.')
  const hub = values.own ? null : (namedHub(values.hub) ?? ((await answers(usualHub)) ? usualHub : null))
  await import('../node-cli/build.ts')
  if (hub !== null) return demo(hub, null, scratch)

  console.log(
    values.own
      ? 'Starting a network for this demo.'
      : `No hub answers on ${usualHub}, so this starts a network of its own; --hub URL or HUB_URL names one that runs.`,
  )
  const own = await startOwnNetwork(scratch)
  try {
    await demo(own.url, own.passTime, scratch)
  } finally {
    await own.stop()
  }
}

const scratch = mkdtempSync(path.join(tmpdir(), 'hub-demo-'))
try {
  await main(scratch)
} catch (error) {
  console.error(`\nError: ${(error as Error).message}`)
  process.exitCode = error instanceof UsageError ? 2 : 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
