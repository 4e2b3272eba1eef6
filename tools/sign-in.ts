/** `npm run -s sign-in`: prints a session token, for calls with curl. */

import { readArguments } from '../scripts/command/arguments.ts'
import { runCommand } from '../scripts/command/run.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { hubHelp, readHub } from './options/hub.ts'
import { keyHelp, keyOptions, readKey } from './options/key.ts'

const usage = `Usage: npm run -s sign-in [-- --as NAME | --key-env VARIABLE] [--hub URL]

Signs a wallet in and prints its session token.

  ${keyHelp('developer')}
  --hub URL           ${hubHelp}

Examples:
  npm run -s sign-in -- --as operator
  TOKEN=$(npm run -s sign-in)
  curl -s http://localhost:8787/v1/auth/session -H "Authorization: Bearer $TOKEN"`

await runCommand(async () => {
  const options = { ...keyOptions, hub: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
  const { values } = readArguments({ options }, usage)
  if (values.help) return console.log(usage)
  const hub = readHub(values.hub)
  const key = readKey(values, 'developer', hub)
  const network = await readNetwork(hub)
  const { token, address, expiresAt } = await signIn(network, key)
  console.error(`Signed in as ${address} until ${new Date(expiresAt * 1000).toISOString()}.`)
  console.log(token)
})
