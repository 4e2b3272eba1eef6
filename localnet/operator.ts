/** `npm run -s operator`: what operators do, from the shell. */
import { readKey } from './key-option.ts'
import { type OperatorCall, readCommand } from './operator-commands.ts'
import { HubError, reach, signIn } from './session.ts'
import { UsageError } from './state.ts'

/** Prints what the hub answers, also when it refuses. @throws {@link HubError} */
async function make(hub: string, key: string, { method, path, json }: OperatorCall): Promise<void> {
  const { token } = await signIn(hub, key)
  const response = await reach(hub + path, {
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
  if ('help' in command) console.log(command.help)
  else await make(command.hub, readKey({ 'key-env': command.keyEnv }, 'operator'), command.call)
} catch (error) {
  if (!(error instanceof HubError || error instanceof UsageError)) throw error
  console.error(`Error: ${error.message}`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
