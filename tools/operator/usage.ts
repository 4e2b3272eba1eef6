import { callOf } from '../../scripts/command/call.ts'
import { hubHelp } from '../options/hub.ts'
import { exampleNode } from '../options/node.ts'
import type { Command, Options } from './command.ts'
import { commands } from './commands.ts'

const optionHelp: Record<keyof Options, string> = {
  reason: '--reason TEXT       why, for the audit log',
  notes: '--notes TEXT        why, for the audit log and the developer or owner',
  condition: '--condition TEXT    a condition for the developer; repeat it for each',
  status:
    '--status STATUS     only those with this status; nodes, slashes and epochs have different statuses',
  role: '--role ROLE         miner or validator',
  project: '--project PROJECT   only those of this project, by its id or its slug',
  subject: '--subject ID        only entries about this project, node, address, slash or message',
  cursor: '--cursor=CURSOR     the next page of a list, which the page before names',
  amount: '--amount AMOUNT     tokens of one drip with their symbol, or base units: 10^18 are one token',
  'eth-amount':
    '--eth-amount AMOUNT coin of the chain of one drip, such as "0.01 ETH", or base units: 10^18 are one coin',
  cooldown: '--cooldown TIME     how long a wallet waits for its next drip, such as 90s, 15m, 2h or 3d',
  node: '--node ID           a registered validator; repeat it for each',
  approve: '--approve ID        a registered validator to add; repeat it for each',
  revoke: '--revoke ID         a validator to remove; repeat it for each',
  title: '--title TEXT        what it is called',
  kind: '--kind KIND         editors_picks or dao_curated',
  description: '--description TEXT  what it contains',
  member: '--member ID         the id of a public project; repeat it for each',
  emergency:
    '--emergency         revoke the removed keys at once, and replace the generation in force; the remaining validators sign it',
  'at-once':
    '--at-once           for a validator: new signatures of its key do not count, also in running epochs',
}

const lineOf = ({ words, options = [] }: Command): string =>
  [...words, ...options.map((option) => `[--${option}]`)].join(' ')

/** The values of the words in angle brackets in examples. */
const exampleWords: Readonly<Record<string, string>> = {
  '<project_id>': '0x…',
  '<address>': '0x…',
  '<evidence_hash>': '0x…',
  '<epoch>': '498055',
  '<node_id>': exampleNode,
  '<collection_id>': 'first-projects',
  '<name>': 'prometheus',
  '<message_id>': 'post_epoch:0x…:498055',
}

/** A command as it is typed. */
export const exampleOf = ({ words, example }: Command): string =>
  callOf(
    'operator',
    [...words.map((word) => exampleWords[word] ?? word), ...(example === undefined ? [] : [example])].join(
      ' ',
    ),
  )

const examplesOf = (some: readonly Command[]): string =>
  `Examples:\n${some.map((command) => `  ${exampleOf(command)}`).join('\n')}`

/** How to call some of the commands. */
function usageOf(some: readonly Command[]): string {
  const width = Math.max(...some.map((command) => lineOf(command).length))
  const taken = new Set(some.flatMap(({ options = [] }) => options))
  const explained = Object.entries(optionHelp).filter(([option]) => taken.has(option as keyof Options))
  return `Usage: ${callOf('operator', 'COMMAND [--key-env VARIABLE] [--hub URL]')}

Signs in as an operator, makes one call, and prints the answer of the hub as a table.

${some.map((command) => `  ${lineOf(command).padEnd(width)}  ${command.does}`).join('\n')}

${explained.map(([, help]) => `  ${help}\n`).join('')}  --key-env VARIABLE  the environment variable that holds the operator's private key, 0x and 64 hex digits;
                      default: the operator of the local network
  --json              print the full answer as JSON
  --hub URL           ${hubHelp}`
}

/** The help of some of the commands, with an example of each. */
export const helpOf = (some: readonly Command[]): string =>
  [usageOf(some), ...some.flatMap(({ note = [] }) => note), examplesOf(some)].join('\n\n')

/** One example of each part of the work. */
const shownExamples: readonly string[] = [
  'watch',
  'review-queue',
  'project approve <project_id>',
  'node revoke <node_id>',
  'slash resolve <evidence_hash> cancel',
  'epoch veto <project_id> <epoch>',
  'settlement pause',
  'dead-letters resend <message_id>',
]

/** The help of all commands. */
export const usage = `${usageOf(commands)}

COMMAND --help shows the help of that command, with an example.

Exit codes: 0 done, 1 refused, 2 wrong usage.

${examplesOf(commands.filter(({ words }) => shownExamples.includes(words.join(' '))))}`
