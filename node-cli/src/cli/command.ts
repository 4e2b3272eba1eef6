import type { ArgsDef, CommandDef } from 'citty'

/** A command of the tool: citty's definition, with examples for its help. */
export interface Command<Args extends ArgsDef = ArgsDef> {
  definition: CommandDef<Args> & { args: Args }
  /** Variables of the environment that change what it does, each with how. */
  environment?: readonly (readonly [name: string, effect: string])[]
  /** What its exit codes say, where that is more than done or failed. */
  exits?: readonly (readonly [code: string, meaning: string])[]
  /** Words that its arguments may be, for completion; files when left out. */
  words?: readonly string[]
  /** Command lines without the leading `nodectl`, each with what it does. */
  examples: readonly (readonly [line: string, effect: string])[]
}

/** Every command takes it, so that a script need not know which ones print JSON without. */
const jsonArgument = {
  json: { type: 'boolean', description: 'Print JSON, as it does anyway; an error too' },
} as const satisfies ArgsDef

/** Ties the types of a definition's arguments to its `run`. */
export function defineNodectlCommand<const Args extends ArgsDef>({
  definition,
  ...command
}: Command<Args>): Command {
  const { args } = definition
  return {
    ...command,
    definition: { ...definition, args: { ...args, ...(!('json' in args) && jsonArgument) } },
  } as unknown as Command
}

/** What the list of commands shows; the command itself is loaded when it is called. */
export interface CommandEntry {
  description: string
  load: () => Promise<{ default: Command }>
}
