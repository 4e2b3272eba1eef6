/** `npm start`: the local network, until Ctrl-C. */
import { reportFailure } from '../scripts/command/run.ts'
import { Lifecycle } from './lifecycle.ts'
import { asksForHelp, readOptions, usage } from './options.ts'

// Output that nobody reads any more, as of a closed terminal, is no reason to end without closing the databases.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

const args = process.argv.slice(2)
const lifecycle = new Lifecycle()
try {
  if (asksForHelp(args)) console.log(usage)
  else {
    const options = readOptions(args)
    lifecycle.stopOnSignals()
    lifecycle.stopWithParent()
    const { runNetwork } = await import('./network.ts')
    await runNetwork(options, args, lifecycle)
  }
} catch (error) {
  // A failure while everything stops is caused by the stop.
  if (!lifecycle.stopping) await lifecycle.stop(reportFailure(error))
}
