/** `npm run -s pass-time`: moves the time of a local network ahead. */
import { readChainTimes } from '../localnet/chain-times.ts'
import { type NamedProject, timedProjects, waitForRounds } from '../localnet/open-rounds.ts'
import { passTime, type Span } from '../localnet/pass-time.ts'
import { epochAt, epochStart } from '../protocol/committees/index.ts'
import { readArguments } from '../scripts/command/arguments.ts'
import { CommandError, UsageError } from '../scripts/command/errors.ts'
import { runCommand } from '../scripts/command/run.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { readDuration } from './options/duration.ts'
import { hubHelp, readHub } from './options/hub.ts'
import { utc } from './print.ts'

const usage = `Usage: npm run -s pass-time -- TIME [--hub URL] [--rpc URL]

Moves the time of a local network ahead: that of its chain, which the hub follows. Waits until the hub follows, and prints the epochs, releases and windows in that time. To go back, start again with --fresh.

Before, it waits up to a minute for the end of open rounds: a device that has not voted when the time jumps is late, and loses collateral.

  TIME       90s, 15m, 2h, 3d
  --hub URL  ${hubHelp}
  --rpc URL  the chain (default: the chain that the hub names)

Examples:
  npm run -s pass-time -- 2h
  npm run -s pass-time -- 3d --hub http://localhost:9000`

await runCommand(async () => {
  const options = {
    hub: { type: 'string' },
    rpc: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  // Read as options, these would be refused by their first digit.
  const backwards = process.argv.slice(2).find((arg) => /^-\d/.test(arg))
  if (backwards !== undefined)
    throw new UsageError(
      `The time of a network only moves forward: give a time such as 2h, not "${backwards}". To go back, start the network again with --fresh.`,
    )
  const { values, positionals } = readArguments({ allowPositionals: true, options }, usage)
  if (values.help) return console.log(usage)
  const [time] = positionals
  if (time === undefined || positionals.length > 1)
    throw new UsageError(`Say how much time is to pass.\n\n${usage}`)
  const seconds = readDuration(time)
  if (values.rpc !== undefined && !/^https?:$/.test(URL.parse(values.rpc)?.protocol ?? ''))
    throw new UsageError(`--rpc must be an http or https URL, not "${values.rpc}".`)
  const network = await readNetwork(readHub(values.hub))
  const rpcUrl = values.rpc ?? network.rpcUrl
  if (rpcUrl === null)
    throw new CommandError(`${network.hub} does not name a public URL of its chain. Name one with --rpc URL.`)
  const projects = await timedProjects(network)
  const open = await waitForRounds(network, projects, () => console.error('Waiting for open rounds to end.'))
  if (open > 0)
    console.error(
      `${open} ${open === 1 ? 'round is' : 'rounds are'} still open. Devices that have not voted are late now.`,
    )
  const span = await passTime(network, rpcUrl, seconds)
  console.log(`Network time was ${utc(span.from)} and is ${utc(span.to)}.`)
  tellEpochs(projects, span)
  for (const { at, what } of await readChainTimes(rpcUrl, span)) console.log(`  ${utc(at)}  ${what}`)
})

function tellEpochs(projects: readonly NamedProject[], { from, to }: Span): void {
  for (const { slug, epoch_secs } of projects) {
    const [before, after] = [epochAt(from, epoch_secs), epochAt(to, epoch_secs)]
    const began = after === before ? 'no new epoch' : `${after - before} began`
    console.log(
      `  ${slug}: epoch ${after} of ${epoch_secs} s runs until ${utc(epochStart(after + 1, epoch_secs))}; ${began}`,
    )
  }
}
