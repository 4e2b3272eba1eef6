import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './errors.ts'

/** Reads the arguments of a command. @throws {@link UsageError} with what is wrong, and the help below. */
export function readArguments<const Config extends ParseArgsConfig>(config: Config, help: string) {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${help}`)
  }
}
