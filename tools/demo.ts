/** `npm run demo`: a developer and a miner meet the hub, shown step by step. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bytesToHex } from '../protocol/encoding/index.ts'
import { unwrap } from './client/answers.ts'
import { readNetwork } from './client/network.ts'
import { readArguments } from './command/arguments.ts'
import { UsageError } from './command/errors.ts'
import { runCommand } from './command/run.ts'
import { approveProject, demoManifest, publishModules } from './demo/developer.ts'
import { mine, type PassTime } from './demo/miner.ts'
import { defaultHub, namedHub } from './options/hub.ts'
import { print, printStep } from './print.ts'
import { expectRefusal, printedFetch, printedSignIn } from './printed-calls.ts'
import { enroll, registerProject } from './project.ts'

const usage = `Usage: npm run demo [-- --hub URL | --own]

A developer signs in, publishes the modules of examples/ and registers a project by signature, an operator approves it,
and a miner binds a device made with nodectl, stakes on the project, sets where rewards go, and leaves with the stake.
Uses the hub at URL or in HUB_URL, else one running on ${defaultHub}, else starts a whole network for itself, as
--own always does; only there the three days of unbonding pass at once.`

async function demo(hub: string, passTime: PassTime, scratch: string): Promise<void> {
  console.log(`A developer meets the hub at ${hub}`)
  printStep('Read what this network is')
  const network = await readNetwork(hub, printedFetch)

  printStep('Make a wallet, and sign in with it (EIP-4361)')
  const developer = await printedSignIn(network, bytesToHex(randomBytes(32)))
  const session = developer.client
  await unwrap(session.GET('/v1/auth/session'))
  const modules = await publishModules(network, developer, scratch)
  if (network.contracts === null)
    print('·', 'this hub has no chain: nothing can be registered or staked here')
  else {
    await enroll(developer, 'Demo')
    const manifest = demoManifest(network, developer.address, modules)
    const projectId = await registerProject(network, developer, manifest)
    if (await approveProject(network, projectId)) await mine(network, passTime, projectId, scratch)
    else print('·', 'this hub has an operator of its own, whose review the project waits for')
  }

  printStep('Log out')
  await unwrap(session.GET('/v1/me'))
  await unwrap(session.POST('/v1/auth/logout'))
  await expectRefusal(session.GET('/v1/auth/session'), 401)
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
  const hub = values.own ? null : (namedHub(values.hub) ?? ((await answers(defaultHub)) ? defaultHub : null))
  await import('../node-cli/build.ts')
  if (hub !== null) return demo(hub, null, scratch)

  console.log(
    values.own
      ? 'Starting a network for this demo.'
      : `No hub answers on ${defaultHub}, so this starts a network of its own; --hub URL or HUB_URL names one that runs.`,
  )
  // The runtime takes seconds to load, which a hub that runs already does without.
  const { startTemporaryNetwork } = await import('../localnet/temporary-network.ts')
  const own = await startTemporaryNetwork(scratch)
  try {
    await demo(own.url, own.passTime, scratch)
  } finally {
    await own.stop()
  }
}

const scratch = mkdtempSync(path.join(tmpdir(), 'hub-demo-'))
await runCommand(() => main(scratch))
rmSync(scratch, { recursive: true, force: true })
