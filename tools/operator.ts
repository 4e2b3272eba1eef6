/** `npm run -s operator`: what operators do, from the shell. */
import { unwrap } from './client/answers.ts'
import type { HubClient } from './client/connect.ts'
import { readNetwork } from './client/network.ts'
import { signIn } from './client/sign-in.ts'
import { runCommand } from './command/run.ts'
import { type OperatorCall, readCommand } from './operator/commands.ts'
import { readKey } from './options/key.ts'

/** Prints what the hub answers. @throws HubError with what it says against the call. */
async function send({ request }: HubClient, { method, path, ...init }: OperatorCall): Promise<void> {
  // The types of the client want method and path known together; a command has any of them.
  const answer = request(method as never, path as never, init as never)
  console.log(JSON.stringify(await unwrap(answer), null, 2))
}

await runCommand(async () => {
  const command = readCommand(process.argv.slice(2))
  if ('help' in command) return console.log(command.help)
  const key = readKey({ 'key-env': command.keyEnv }, 'operator')
  const { client } = await signIn(await readNetwork(command.hub), key)
  await send(client, command.call)
})
