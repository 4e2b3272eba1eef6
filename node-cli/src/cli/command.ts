import type { ArgsDef, CommandDef } from 'citty'

/** A command of the tool: citty's definition, with examples for its help. */
export interface Command<Args extends ArgsDef = ArgsDef> {
  definition: CommandDef<Args> & { args: Args }
  /** Variables of the environment that change what it does, each with how. */
  environment?: readonly (readonly [name: string, effect: string])[]
  /** What its exit codes say, where that is more than done or failed. */
  exits?: readonly (readonly [code: string, meaning: string])[]
  /** Command lines without the leading `nodectl`, each with what it does. */
  examples: readonly (readonly [line: string, effect: string])[]
}

/** Ties the types of a definition's arguments to its `run`. */
export const defineNodectlCommand = <const Args extends ArgsDef>(command: Command<Args>): Command =>
  command as unknown as Command

/** What the list of commands shows; the command itself is loaded when it is called. */
export interface CommandEntry {
  description: string
  load: () => Promise<{ default: Command }>
}
