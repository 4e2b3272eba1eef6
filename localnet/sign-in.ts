/** `npm run -s sign-in`: prints a session token, for calls with curl. */
import { readArguments } from './arguments.ts'
import { hubHelp, readHub } from './hub-option.ts'
import { accountNames, readKey } from './key-option.ts'
import { HubError, signIn } from './session.ts'
import { UsageError } from './state.ts'

const usage = `Usage: npm run -s sign-in [-- --as NAME | --key-env VARIABLE] [--hub URL]

Signs a wallet in and prints its session token.

  --as NAME           an account of the local network: ${accountNames} (default developer)
  --key-env VARIABLE  the environment variable that holds the private key of another wallet, 0x and 64 hex digits
  --hub URL           ${hubHelp}

Examples:
  npm run -s sign-in -- --as operator
  TOKEN=$(npm run -s sign-in)
  curl -s http://localhost:8787/v1/auth/session -H "Authorization: Bearer $TOKEN"`

async function main(): Promise<void> {
  const options = {
    as: { type: 'string' },
    'key-env': { type: 'string' },
    hub: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values } = readArguments({ options }, usage)
  if (values.help) return console.log(usage)
  const { token, address, expiresAt } = await signIn(readHub(values.hub), readKey(values, 'developer'))
  console.error(`Signed in as ${address} until ${new Date(expiresAt * 1000).toISOString()}.`)
  console.log(token)
}

try {
  await main()
} catch (error) {
  if (!(error instanceof HubError || error instanceof UsageError)) throw error
  console.error(`Error: ${error.message}`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
