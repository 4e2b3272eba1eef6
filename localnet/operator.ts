/** `npm run -s operator`: what operators do, from the shell. */
import { privateKeys } from './accounts.ts'
import { type OperatorCall, readCommand, usage } from './operator-commands.ts'
import { HubError, signIn } from './session.ts'
import { UsageError } from './state.ts'

function keyOf(variable: string | undefined): string {
  if (variable === undefined) return privateKeys.operator
  const key = process.env[variable] ?? ''
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new UsageError(`${variable} must hold 0x and 64 hex digits.`)
  return key
}

/** Prints what the hub answers, also when it refuses. @throws {@link HubError} */
async function make(hub: string, key: string, { method, path, json }: OperatorCall): Promise<void> {
  const { token } = await signIn(hub, key)
  const response = await fetch(hub + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(json && { 'Content-Type': 'application/json' }) },
    ...(json && { body: JSON.stringify(json) }),
  })
  const answer = await response.json()
  console.log(JSON.stringify(answer, null, 2))
  if (response.ok) return
  const { error, message } = answer as { error: string; message: string }
  throw new HubError(`${response.status} ${error}: ${message}`)
}

try {
  const command = readCommand(process.argv.slice(2))
  if (command === null) console.log(usage)
  else await make(command.hub, keyOf(command.keyEnv), command.call)
} catch (error) {
  if (!(error instanceof HubError || error instanceof UsageError)) throw error
  console.error(`Error: ${error.message}`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
