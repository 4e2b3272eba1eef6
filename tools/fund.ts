/** `npm run -s fund`: brings the vault of a project up to an amount, and announces the terms of its newest version. */
import { deriveProjectId, isSlug } from '../protocol/identity/index.ts'
import { readArguments } from '../scripts/command/arguments.ts'
import { callOf } from '../scripts/command/call.ts'
import { UsageError } from '../scripts/command/errors.ts'
import { runCommand } from '../scripts/command/run.ts'
import { readEconomics, readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { amountHelp, exampleAmount, readAmount } from './amounts.ts'
import { requireFunds } from './balance.ts'
import { hubHelp, readHub } from './options/hub.ts'
import { keyHelp, keyOptions, readKey } from './options/key.ts'
import { announceTerms } from './terms.ts'
import { fundProject } from './vault.ts'

const call = (amount: string) => callOf('fund', `greetings "${amount}"`)

const usage = `Usage: ${callOf('fund', 'PROJECT [AMOUNT] [--terms] [--as NAME | --key-env VARIABLE] [--hub URL] [--rpc URL]')}

Opens the vault of a project of yours if it is not open, and tops it up to an amount. A second run adds only the missing part.
The wallet sends and pays for the transactions; its balance is checked before.

  PROJECT             the id of a project, or the slug of one of the wallet's own
  AMOUNT              ${amountHelp}
  --terms             announce the newest version's length of epochs and most that one may cost to the vault, which pays
                      no epoch of another length, nor one that costs more; from an hour later on
  ${keyHelp('developer')}
  --hub URL           ${hubHelp}
  --rpc URL           the chain that the transactions are sent to (default the one that the hub names)

Example:
  ${call(exampleAmount(500))}`

await runCommand(async () => {
  const options = {
    ...keyOptions,
    hub: { type: 'string' },
    rpc: { type: 'string' },
    terms: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values, positionals } = readArguments({ allowPositionals: true, options }, usage)
  if (values.help) return console.log(usage)
  const [project, text] = positionals
  const { rpc, terms = false } = values
  if (project === undefined || (text === undefined && !terms) || positionals.length > 2)
    throw new UsageError(`Name a project and an amount.\n\n${usage}`)
  if (!isSlug(project) && !/^0x[0-9a-f]{64}$/.test(project))
    throw new UsageError(`PROJECT must be the id or the slug of a project, not "${project}".`)
  if (text !== undefined) readAmount('AMOUNT', text, null)
  if (rpc !== undefined && !/^https?:$/.test(URL.parse(rpc)?.protocol ?? ''))
    throw new UsageError(`--rpc must be an http or https URL, not "${rpc}".`)
  const hub = readHub(values.hub)
  const key = readKey(values, 'developer', hub)
  const network = await readNetwork(hub)
  const { profile, contracts } = network
  const wallet = await signIn(network, key)
  const id = isSlug(project) ? deriveProjectId(profile, wallet.address, project) : project
  if (text !== undefined) {
    // A vault pays the token with which it was opened, for ever.
    const { token } = await readEconomics(wallet.client, id)
    const amount = BigInt(readAmount('AMOUNT', text, token.symbol, token.decimals))
    // The chain says how much there is of any other token.
    if (token.address === contracts?.token) await requireFunds(network, wallet, id, amount)
    await fundProject(network, wallet, id, rpc, amount)
  }
  if (terms) await announceTerms(network, wallet, id, rpc)
})
