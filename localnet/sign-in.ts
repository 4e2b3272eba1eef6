/** `npm run -s sign-in`: prints a session token, for calls with curl. */
import { parseArgs } from 'node:util'
import { privateKeys } from './accounts.ts'
import { HubError, signIn } from './session.ts'

type AccountName = keyof typeof privateKeys

const usage = `Usage: npm run -s sign-in [-- --as NAME | --key-env VARIABLE] [--hub URL]

Signs a wallet in and prints its session token.

  --as NAME           an account of the local network: ${Object.keys(privateKeys).join(', ')} (default developer)
  --key-env VARIABLE  the environment variable that holds the private key of another wallet, 0x and 64 hex digits
  --hub URL           default http://localhost:8787

Examples:
  npm run -s sign-in -- --as operator
  TOKEN=$(npm run -s sign-in)
  curl -s http://localhost:8787/v1/auth/session -H "Authorization: Bearer $TOKEN"`

/** @returns The wallet's key, or what is wrong with the options. */
function readKey(name: string | undefined, keyEnv: string | undefined): { key: string } | string {
  if (name !== undefined && keyEnv !== undefined) return 'Give --as or --key-env, not both.'
  if (keyEnv !== undefined) {
    const key = process.env[keyEnv] ?? ''
    return /^0x[0-9a-fA-F]{64}$/.test(key) ? { key } : `${keyEnv} must hold 0x and 64 hex digits.`
  }
  if (name !== undefined && !Object.hasOwn(privateKeys, name))
    return `--as must be one of ${Object.keys(privateKeys).join(', ')}, not "${name}".`
  return { key: privateKeys[(name ?? 'developer') as AccountName] }
}

function fail(message: string, exitCode: number): void {
  console.error(`Error: ${message}`)
  process.exitCode = exitCode
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      as: { type: 'string' },
      'key-env': { type: 'string' },
      hub: { type: 'string', default: 'http://localhost:8787' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return console.log(usage)
  const wallet = readKey(values.as, values['key-env'])
  if (typeof wallet === 'string') return fail(wallet, 2)
  const { token, address, expiresAt } = await signIn(values.hub.replace(/\/$/, ''), wallet.key)
  console.error(`Signed in as ${address} until ${new Date(expiresAt * 1000).toISOString()}.`)
  console.log(token)
}

try {
  await main()
} catch (error) {
  if (error instanceof HubError) fail(error.message, 1)
  else if (error instanceof TypeError && 'code' in error) fail(`${error.message}\n\n${usage}`, 2)
  else throw error
}
