import type { ArgsDef, CommandDef } from 'citty'

/** A command of the tool: what citty runs, with what its help shows. */
export interface Command<Args extends ArgsDef = ArgsDef> {
  args: Args
  run: NonNullable<CommandDef<Args>['run']>
  /** Variables of the environment that change what it does, each with how. */
  environment?: readonly (readonly [name: string, effect: string])[]
  /** Meanings of the exit codes 0 and 1, if they say more than done or failed. */
  exits?: readonly [done: string, failed: string]
  /** Name of the arguments after `--`, which are not for nodectl. */
  rest?: string
  /** Words that its arguments may be, for completion; without them, files are completed. */
  words?: readonly string[]
  /** Command lines without the leading `nodectl`, each with its effect. */
  examples: readonly (readonly [line: string, effect: string])[]
}

/** Every command takes it, so that a script need not know which ones print JSON without. */
const jsonArgument = {
  type: 'boolean',
  description: 'Print JSON (this command always does), and errors as JSON too',
} as const

/** Ties the types of a command's arguments to its `run`. */
export const defineNodectlCommand = <const Args extends ArgsDef>(command: Command<Args>): Command =>
  ({ ...command, args: { ...command.args, json: command.args.json ?? jsonArgument } }) as unknown as Command

/** The commands by name. */
export type Commands = Readonly<Record<string, CommandEntry>>

/** An entry of the list of commands; the command itself is loaded when it is called. */
interface CommandEntry {
  description: string
  load: () => Promise<{ default: Command }>
}
