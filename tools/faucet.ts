/** `npm run -s faucet`: asks the faucet of a network for test tokens. */

import { readArguments } from '../scripts/command/arguments.ts'
import { callOf } from '../scripts/command/call.ts'
import { runCommand } from '../scripts/command/run.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { HubError } from '../sdk/errors.ts'
import { inTokens, inWhole } from './amounts.ts'
import { hubHelp, readHub } from './options/hub.ts'
import { keyHelp, keyOptions, readKey } from './options/key.ts'

const usage = `Usage: ${callOf('faucet', '[--as NAME | --key-env VARIABLE] [--json] [--hub URL]')}

Signs a wallet in, has the faucet send it test tokens, and some native currency while the hub has enough, and says when the
wallet may ask again. --as and --key-env of the other tools take the same wallet.

  ${keyHelp('developer')}
  --json              print the answer of the hub as JSON
  --hub URL           ${hubHelp}

Exit codes: 0 the tokens are on their way; 1 the faucet gives none now, and says why; 2 wrong usage.

Examples:
  ${callOf('faucet')}
  ${callOf('faucet', '--key-env MY_KEY --hub https://hub.example')}`

await runCommand(async () => {
  const options = {
    ...keyOptions,
    json: { type: 'boolean' },
    hub: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values } = readArguments({ options }, usage)
  if (values.help) return console.log(usage)
  const hub = readHub(values.hub)
  const key = readKey(values, 'developer', hub)
  const network = await readNetwork(hub)
  const { client, address } = await signIn(network, key)
  const faucet = await client.call('GET /v1/faucet')
  if (faucet.next_eligible_at !== null)
    throw new HubError(
      `${address} has had its tokens, and may ask again at ${new Date(faucet.next_eligible_at * 1000).toISOString()}`,
    )
  // A faucet that is closed says so itself.
  const given = await client.call('POST /v1/faucet/drip')
  if (values.json) return console.log(JSON.stringify(given, null, 2))
  const native = given.eth_amount === '0' ? '' : ` and ${inWhole(given.eth_amount)} ${network.coin.symbol}`
  console.log(
    `${inTokens(network, given.amount)}${native} for ${address}, with the transaction ${given.tx_hash}.`,
  )
  console.log(`The wallet may ask again at ${new Date(given.next_eligible_at * 1000).toISOString()}.`)
})
