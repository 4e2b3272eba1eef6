import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './errors.ts'

/** Reads the arguments of a command. @throws {@link UsageError} with the problem, and the help below it. */
export function readArguments<const Config extends ParseArgsConfig>(
  config: Config,
  help: string,
  env: NodeJS.ProcessEnv = process.env,
) {
  const taken = Object.entries(config.options ?? {}).filter(([name]) =>
    isTakenByNpm(name, config.args ?? process.argv.slice(2), env),
  )
  if (taken.length > 0)
    throw new UsageError(
      `npm took ${taken.map(([name]) => `--${name}`).join(' and ')} for itself. Options stand after a lone --, as in: ${[
        env.npm_command === 'start' ? 'npm start --' : `npm run -s ${env.npm_lifecycle_event} --`,
        ...taken.map(([name, { type }]) => (type === 'boolean' ? `--${name}` : `--${name} …`)),
      ].join(' ')}`,
    )
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${help}`)
  }
}

/**
 * Whether npm read an option as one of its own, as it does with those that stand before `--`. They come as variables:
 * `--fresh` as `npm_config_fresh=true`, `--no-sample` as an empty `npm_config_sample`.
 */
function isTakenByNpm(name: string, args: readonly string[], env: NodeJS.ProcessEnv): boolean {
  if (env.npm_command === undefined || name === 'help') return false
  const value = env[`npm_config_${name.replace(/^no-/, '').replaceAll('-', '_')}`]
  const isThere = name.startsWith('no-') ? value === '' : Boolean(value)
  return isThere && !args.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`))
}
