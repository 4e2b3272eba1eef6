import { type SettingName, settings, variableOf } from '../serve/flags.ts'

type SettingArguments<Name extends SettingName> = {
  readonly [Member in Name]: {
    readonly type: 'string'
    readonly valueHint: string
    readonly description: string
  }
}

/** The flags of some settings of `serve`, for a command that shares them. */
export const settingArguments = <const Name extends SettingName>(
  names: readonly Name[],
): SettingArguments<Name> =>
  Object.fromEntries(
    names.map((name) => {
      const { hint, description, default: fallback } = settings[name]
      const note = fallback === '' ? '' : ` (default ${fallback})`
      return [name, { type: 'string', valueHint: hint, description: description + note }]
    }),
  ) as SettingArguments<Name>

/** How the help describes the variables that the same settings are read from. */
export const settingEnvironment = (names: readonly SettingName[]): [name: string, effect: string][] =>
  names.map((name) => [variableOf(name), `As --${name}`])
