import { hubHelp } from '../options/hub.ts'
import type { Command, Options } from './command.ts'
import { commands } from './commands.ts'

const optionHelp: Record<keyof Options, string> = {
  reason: '--reason TEXT       why, for the audit log',
  notes: '--notes TEXT        why, for the audit log',
  condition: '--condition TEXT    what the developer has to keep to; once for each',
  status:
    '--status STATUS     only those that stand so: nodes, slashes and epochs each have states of their own',
  role: '--role ROLE         miner or validator',
  project: '--project PROJECT   only those of this project, by its id or its slug',
  subject: '--subject ID        only what was done to this project, node, address, slash or message',
  amount: '--amount AMOUNT     tokens of one drip with their symbol, or base units: 10^18 are one token',
  'eth-amount':
    '--eth-amount AMOUNT native currency of one drip, such as "0.01 ETH", or wei: 10^18 are one ether',
  node: '--node ID           a registered validator; once for each',
  approve: '--approve ID        a registered validator that comes; once for each',
  revoke: '--revoke ID         a validator that leaves; once for each',
  emergency:
    '--emergency         end the keys that are revoked now, and replace the generation in force; those that stay sign it',
  'at-once':
    '--at-once           of a validator: what its key signs from now on counts for nothing, in running epochs too',
}

const lineOf = ({ words, options = [] }: Command): string =>
  [...words, ...options.map((option) => `[--${option}]`)].join(' ')

/** What stands for the words in angle brackets in examples. */
const exampleWords: Readonly<Record<string, string>> = {
  '<project_id>': '0x…',
  '<address>': '0x…',
  '<evidence_hash>': '0x…',
  '<epoch>': '498055',
  '<node_id>': 'node-0f3a5c7e9b1d2f40',
  '<message_id>': 'post_epoch:0x…:498055',
}

/** A command as it is typed. */
export const exampleOf = ({ words, example }: Command): string =>
  [
    'npm run -s operator --',
    ...words.map((word) => exampleWords[word] ?? word),
    ...(example === undefined ? [] : [example]),
  ].join(' ')

const examplesOf = (some: readonly Command[]): string =>
  `Examples:\n${some.map((command) => `  ${exampleOf(command)}`).join('\n')}`

/** How to call some of the commands. */
function usageOf(some: readonly Command[]): string {
  const width = Math.max(...some.map((command) => lineOf(command).length))
  const taken = new Set(some.flatMap(({ options = [] }) => options))
  const explained = Object.entries(optionHelp).filter(([option]) => taken.has(option as keyof Options))
  return `Usage: npm run -s operator -- COMMAND [--key-env VARIABLE] [--hub URL]

Signs in as an operator, makes one call, and prints what the hub answers as a table.

${some.map((command) => `  ${lineOf(command).padEnd(width)}  ${command.does}`).join('\n')}

${explained.map(([, help]) => `  ${help}\n`).join('')}  --key-env VARIABLE  the environment variable that holds the operator's private key, 0x and 64 hex digits;
                      left out, the operator of the local network
  --json              print the answer as JSON, with everything that a table leaves out
  --hub URL           ${hubHelp}`
}

/** The help of some of the commands, with an example of each. */
export const helpOf = (some: readonly Command[]): string => `${usageOf(some)}\n\n${examplesOf(some)}`

/** One example of each part of the work. */
const shownExamples: readonly string[] = [
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

COMMAND --help shows what is about that command, with an example.

Exit codes: 0 done, 1 refused, 2 wrong usage.

${examplesOf(commands.filter(({ words }) => shownExamples.includes(words.join(' '))))}`
