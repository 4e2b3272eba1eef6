/** `npm run demo`: shows the whole network with real nodes, from a wallet to earnings and slashes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Lifecycle } from '../localnet/lifecycle.ts'
import { readProfileFile } from '../localnet/profile.ts'
import { readArguments } from '../scripts/command/arguments.ts'
import { endWithReader, reportFailure } from '../scripts/command/run.ts'
import { printText, printToStandardError } from './print.ts'

const usage = `Usage: npm run demo [-- --json] [--profile FILE]

Starts a network of its own on this machine: a chain, its contracts, a hub, four validators and five devices, each node a
process. Then it shows, step by step with the time of each:

  - a developer signs in, registers a project by signature and funds its vault; an operator approves it
  - a miner binds five devices and stakes on the project
  - tasks become final: clean, audited, contested, and without a committee
  - the validators attest what the epoch pays, and the miner claims it
  - one device lies and one votes twice; the validators prove it, and the hub slashes both

It checks each step, and takes about a minute on two cores. It moves the time of the network ahead by hours. It deletes all its data at the end.

  --json          print the result as JSON on standard output, and the steps on standard error
  --profile FILE  names of the network, as for npm start

Exit codes: 0 every step succeeded, 1 a step failed, 2 wrong usage, 130 stopped before its end.

Examples:
  npm run demo
  npm run -s demo -- --json > demo.json`

const next = `
Done. Each vote above was signed by a separate process. Next steps:

  npm start                                              run a network that keeps its data, with a sample project
  npm run -s task -- echo --input '{"hello":"world"}'    submit a task to it, and see its result
  npm run -s submit -- --help                            submit your own project
  npm run -s subscribe -- --help                         run your own device for a project

docs/submit-a-task.md has the first calls, tools/README.md all commands, and docs/settlement.md explains earnings and slashes.`

/** As shells count what Ctrl-C ended; also of a demo that nobody watches any more. */
const interruptedCode = 130

async function main(lifecycle: Lifecycle): Promise<void> {
  const options = {
    json: { type: 'boolean' },
    profile: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values } = readArguments({ options }, usage)
  if (values.help) return console.log(usage)
  const profile = values.profile === undefined ? {} : readProfileFile(values.profile)
  if (values.json) printToStandardError()
  const scratch = mkdtempSync(path.join(tmpdir(), 'hub-demo-'))
  lifecycle.onStop(() => rmSync(scratch, { recursive: true, force: true }))
  // The runtime takes seconds to load, which the help does without.
  const { walk } = await import('./demo/walk.ts')
  const result = await walk(lifecycle, scratch, profile)
  printText(next)
  if (values.json) console.log(JSON.stringify(result, null, 2))
}

const lifecycle = new Lifecycle()
lifecycle.stopOnSignals(interruptedCode)
endWithReader(() => lifecycle.stop(interruptedCode))
try {
  await main(lifecycle)
  await lifecycle.stop(0)
} catch (error) {
  // The end of another process by Ctrl-C may be known here before the signal is.
  await setImmediate()
  // A failure while everything stops is caused by the stop.
  if (!lifecycle.stopping) await lifecycle.stop(reportFailure(error))
}
