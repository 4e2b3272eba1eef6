/** `npm run -s operator`: what operators do, from the shell. */

import { runCommand } from '../scripts/command/run.ts'
import { unwrap } from '../sdk/answers.ts'
import type { HubClient } from '../sdk/connect.ts'
import { readNetwork } from '../sdk/network.ts'
import { signIn } from '../sdk/sign-in.ts'
import { readAmount } from './amounts.ts'
import type { OperatorCall } from './operator/command.ts'
import { readCommand } from './operator/read-command.ts'
import { tableOf } from './operator/table.ts'
import { readKey } from './options/key.ts'

/** Prints what the hub answers. @throws HubError with what it says against the call. */
async function send({ request }: HubClient, { method, path, ...init }: OperatorCall, json: boolean) {
  // The types of the client want method and path known together; a command has any of them.
  const answer = request(method as never, path as never, init as never)
  const answered = await unwrap(answer)
  console.log(json ? JSON.stringify(answered, null, 2) : tableOf(answered))
}

await runCommand(async () => {
  const command = readCommand(process.argv.slice(2))
  if ('help' in command) return console.log(command.help)
  const key = readKey({ 'key-env': command.keyEnv }, 'operator')
  const network = await readNetwork(command.hub)
  for (const { option, text } of command.tokenAmounts) readAmount(option, text, network.profile.token_symbol)
  const { client } = await signIn(network, key)
  await send(client, command.call, command.json)
})
