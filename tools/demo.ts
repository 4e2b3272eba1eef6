/** `npm run demo`: a developer and a miner meet the hub, shown step by step. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Lifecycle } from '../localnet/lifecycle.ts'
import { passTime } from '../localnet/pass-time.ts'
import { bytesToHex } from '../protocol/encoding/index.ts'
import { readArguments } from '../scripts/command/arguments.ts'
import { CommandError, UsageError } from '../scripts/command/errors.ts'
import { endWithReader, reportFailure } from '../scripts/command/run.ts'
import { unwrap } from '../sdk/answers.ts'
import { readNetwork } from '../sdk/network.ts'
import { approveProject, demoManifest, openVault, publishModules } from './demo/developer.ts'
import { joinAsMiner, leave } from './demo/miner.ts'
import { runNodectl } from './demo/nodectl.ts'
import { settle } from './demo/settlement.ts'
import { isMovable, type PassTime, type Stage } from './demo/stage.ts'
import { defaultHub, namedHub } from './options/hub.ts'
import { print, printStep } from './print.ts'
import { expectRefusal, printedFetch, printedSignIn } from './printed-calls.ts'
import { enroll, registerProject } from './project.ts'

const usage = `Usage: npm run demo [-- --hub URL [--pass-time] | --own | --cluster]

A developer signs in, publishes the modules of examples/, registers a project by signature and funds its vault, an operator
approves it, and a miner binds a device made with nodectl, stakes on the project, and sets where rewards go. Validators
attest who works in an epoch and what it pays, and the miner claims it. A device votes twice in one round, is slashed
after its owner's dispute was decided, topped up, and works again. At the end the miner leaves with the stake.

Uses the hub at URL or in HUB_URL, else one running on ${defaultHub}, else starts a whole network for itself, as
--own always does; there the days that this takes pass at once.

  --pass-time  lets the demo move the time of a local network that runs, by about four days for good: earnings, the slash
               and the end of unbonding are left out without it
  --own        starts a network for this demo, whatever runs
  --cluster    another demo, on a network of its own: validators and devices are real nodes, two of which break the rules
  --hub URL    another hub

Exit codes: 0 everything was as the demo says, 1 something was not, 2 wrong usage, 130 stopped before its end.`

/** As shells count what Ctrl-C ended; also of a demo that nobody watches any more. */
const interruptedCode = 130

async function demo(stage: Stage): Promise<void> {
  const { network } = stage
  console.log(`A developer meets the hub at ${network.hub}`)
  printStep('Make a wallet, and sign in with it (EIP-4361)')
  const developer = await printedSignIn(network, bytesToHex(randomBytes(32)))
  const session = developer.client
  await unwrap(session.GET('/v1/auth/session'))
  const modules = await publishModules(stage, developer)
  if (network.contracts === null)
    print('·', 'this hub has no chain: nothing can be registered or staked here')
  else {
    await enroll(developer, 'Demo')
    const projectId = await registerProject(
      network,
      developer,
      demoManifest(network, developer.address, modules),
    )
    const operator = await approveProject(stage, projectId)
    if (operator === null)
      print('·', 'this hub has an operator of its own, whose review the project waits for')
    else {
      await openVault(stage, developer, projectId)
      const miner = await joinAsMiner(stage, projectId)
      if (isMovable(stage)) await settle(stage, projectId, miner, operator, modules)
      await leave(stage, miner)
    }
  }

  printStep('Log out')
  await unwrap(session.GET('/v1/me'))
  await unwrap(session.POST('/v1/auth/logout'))
  await expectRefusal(session.GET('/v1/auth/session'), 401)
  console.log('\nDone. Everything above was a real request to a real hub.')
  if (stage.passTime === null)
    console.log(
      'Earnings, a slash and the end of unbonding were left out, which take days: with --pass-time they pass at once.',
    )
}

const answers = (hub: string): Promise<boolean> =>
  fetch(`${hub}/v1/status`).then(
    ({ ok }) => ok,
    () => false,
  )

async function main(lifecycle: Lifecycle): Promise<void> {
  const options = {
    hub: { type: 'string' },
    own: { type: 'boolean' },
    cluster: { type: 'boolean' },
    'pass-time': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values } = readArguments({ options }, usage)
  if (values.help) return console.log(usage)
  if (values.own && values.hub !== undefined) throw new UsageError('Give --own or --hub, not both.')
  if (values.cluster && (values.own || values.hub !== undefined || values['pass-time']))
    throw new UsageError('--cluster starts a network of its own, and takes no other option.')
  const hub = values.own ? null : (namedHub(values.hub) ?? ((await answers(defaultHub)) ? defaultHub : null))
  const scratch = mkdtempSync(path.join(tmpdir(), 'hub-demo-'))
  lifecycle.onStop(() => rmSync(scratch, { recursive: true, force: true }))
  if (values.cluster) {
    const { showCluster } = await import('./cluster/demo.ts')
    return showCluster(lifecycle, scratch)
  }
  await lifecycle.run(() => import('../node-cli/build.ts'))
  if (hub !== null) return demo(await openStage(lifecycle, scratch, hub, values['pass-time'] === true))

  console.log(
    values.own
      ? 'Starting a network for this demo.'
      : `No hub answers on ${defaultHub}, so this starts a network of its own; --hub URL or HUB_URL names one that runs.`,
  )
  // The runtime takes seconds to load, which a hub that runs already does without.
  const { startTemporaryNetwork } = await import('../localnet/temporary-network.ts')
  const own = await lifecycle.run(
    () => startTemporaryNetwork(scratch),
    ({ stop }) => stop(),
  )
  await demo(await openStage(lifecycle, scratch, own.url, true))
}

async function openStage(
  lifecycle: Lifecycle,
  scratch: string,
  hub: string,
  mayPassTime: boolean,
): Promise<Stage> {
  printStep('Read what this network is')
  const network = await readNetwork(hub, printedFetch)
  return {
    network,
    quiet: await readNetwork(hub),
    nodectl: (...args) => lifecycle.run(() => runNodectl(...args)),
    scratch,
    passTime: mayPassTime ? passTimeOf(network.now, network.rpcUrl) : null,
    onStop: (end) => lifecycle.onStop(end),
  }
}

function passTimeOf(now: () => Promise<number>, rpcUrl: string | null): PassTime {
  if (rpcUrl === null) throw new CommandError('This hub names no chain, whose time could be moved.')
  return (seconds) => passTime({ now }, rpcUrl, seconds)
}

const lifecycle = new Lifecycle()
lifecycle.stopOnSignals(interruptedCode)
endWithReader(() => lifecycle.stop(interruptedCode))
try {
  await main(lifecycle)
  await lifecycle.stop(0)
} catch (error) {
  // What Ctrl-C ends beside this process may be known to have ended before the signal is.
  await setImmediate()
  // What fails while everything stops fails because of that.
  if (!lifecycle.stopping) await lifecycle.stop(reportFailure(error))
}
