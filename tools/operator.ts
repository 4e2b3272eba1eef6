/** `npm run -s operator`: what operators do, from the shell. */
import { setTimeout } from 'node:timers/promises'
import { CommandError } from '../scripts/command/errors.ts'
import { runCommand } from '../scripts/command/run.ts'
import { fetchFromHub, readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import type { Hub } from '../sdk/index.ts'
import { readAmount } from './amounts.ts'
import type { OperatorCall } from './operator/command.ts'
import { readCommand } from './operator/read-command.ts'
import { tableOf } from './operator/table.ts'
import { watch } from './operator/watch.ts'
import { readKey } from './options/key.ts'

/** @throws HubError with what the hub says against the call. */
function send<T = unknown>({ call }: Hub, { method, path, params, body }: OperatorCall): Promise<T> {
  // The types of the client want method and path known together; a command has any of them.
  return call(`${method.toUpperCase()} ${path}` as 'GET /v1/me', { ...params, body } as object) as Promise<T>
}

interface Page {
  read: number
  written: number
  skipped: number
  failed: readonly string[]
  next_cursor: string | null
}

/** Goes through all pages, and adds up what they say. @throws HubError, {@link CommandError} */
async function sendPages(client: Hub, call: OperatorCall, json: boolean): Promise<void> {
  const sum = { read: 0, written: 0, skipped: 0, failed: [] as string[] }
  let cursor: string | null = null
  do {
    const page: Page = await send(client, { ...call, body: { ...call.body, cursor } })
    for (const count of ['read', 'written', 'skipped'] as const) sum[count] += page[count]
    sum.failed = sum.failed.concat(page.failed)
    cursor = page.next_cursor
    console.error(`… ${sum.read} read, ${sum.written} written`)
  } while (cursor !== null)
  print(sum, json)
  if (sum.failed.length > 0)
    throw new CommandError(`${sum.failed.length} could not be written. Run the command again.`)
}

const print = (answered: unknown, json: boolean): void =>
  console.log(
    typeof answered === 'string'
      ? answered.trimEnd()
      : json
        ? JSON.stringify(answered ?? null, null, 2)
        : tableOf(answered),
  )

await runCommand(async () => {
  const command = readCommand(process.argv.slice(2))
  if ('help' in command) return console.log(command.help)
  if (command.isWatched)
    return watch({
      // A hub in trouble is shown as it is now, and asked again with the next look.
      read: async () =>
        send((await readNetwork(command.hub, fetchFromHub, { attempts: 1 })).client, command.call),
      wait: async () => setTimeout(5_000, true),
      write: (text) => process.stdout.write(text),
      time: () => new Date(),
      isTerminal: process.stdout.isTTY,
      json: command.json,
    })
  const key = readKey({ 'key-env': command.keyEnv }, 'operator', command.hub)
  const network = await readNetwork(command.hub)
  for (const { option, text, isNative } of command.amounts)
    readAmount(option, text, isNative ? network.coin.symbol : network.profile.token_symbol)
  const { client } = await signIn(network, key)
  if (command.isPaged) await sendPages(client, command.call, command.json)
  else print(await send(client, command.call), command.json)
})
