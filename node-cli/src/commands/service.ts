import path from 'node:path'
import { unknown } from '../cli/arguments.ts'
import { defineNodectlCommand } from '../cli/command.ts'
import { UsageError } from '../cli/errors.ts'
import { printJson, tell } from '../cli/output.ts'
import { settingArguments } from '../cli/setting-arguments.ts'
import { writeOutput } from '../cli/standard-streams.ts'
import { readSettings } from '../serve/config.ts'
import { type SettingName, settingNames } from '../serve/flags.ts'
import { environmentFile } from '../service/environment-file.ts'
import { launchdFile, launchdPlist } from '../service/launchd-plist.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { systemdFile, systemdUnit, usual } from '../service/systemd-unit.ts'

const environmentPath = '/etc/nodectl.env'

const files: Readonly<
  Record<string, { path: string; write: (options: ServiceOptions, given: Given) => string }>
> = {
  systemd: { path: systemdFile, write: systemdUnit },
  launchd: { path: launchdFile, write: launchdPlist },
  env: {
    path: environmentPath,
    write: ({ dataDir }, given) => environmentFile({ ...given, 'data-dir': dataDir }),
  },
}

type Given = Readonly<Partial<Record<SettingName, string>>>

export default defineNodectlCommand({
  args: {
    action: { type: 'positional', required: true, description: 'print' },
    file: { type: 'positional', required: true, description: Object.keys(files).join(', ') },
    user: {
      type: 'string',
      valueHint: 'NAME',
      description: 'User that the service runs as (default nodectl; launchd: _nodectl)',
    },
    ...settingArguments(settingNames),
    'data-dir': {
      type: 'string',
      valueHint: 'DIR',
      description:
        'Data directory of the service (default /var/lib/nodectl; launchd: /usr/local/var/nodectl)',
    },
    json: { type: 'boolean', description: 'Print {file, path, content} as JSON' },
  },
  run({ args }) {
    if (args.action !== 'print') throw unknown('action', args.action, ['print'])
    const file = Object.hasOwn(files, args.file) ? files[args.file] : undefined
    if (file === undefined) throw unknown('file', args.file, Object.keys(files))
    const isForMac = args.file === 'launchd' || (args.file === 'env' && process.platform === 'darwin')
    // Users of services begin with an underscore there.
    const user = args.user ?? (isForMac ? '_nodectl' : usual.user)
    if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user))
      throw new UsageError(`--user must be the name of a user of this system, not ${user}`)
    const dataDir = args['data-dir'] ?? (isForMac ? '/usr/local/var/nodectl' : usual.dataDir)
    if (!path.isAbsolute(dataDir)) throw new UsageError(`--data-dir must be an absolute path, not ${dataDir}`)
    const given = givenSettings(args)
    // A service runs in another folder than this command.
    for (const name of ['profile', 'params-changes'] as const)
      if (given[name] !== undefined && !path.isAbsolute(given[name]))
        throw new UsageError(`--${name} must be an absolute path, not ${given[name]}`)
    // Flags that `serve` would refuse are refused here.
    readSettings(settingNames, given, {})
    const command = [process.execPath, path.resolve(process.argv[1] ?? 'nodectl')]
    const flags = settingNames.flatMap((name) =>
      given[name] === undefined ? [] : [`--${name}`, given[name]],
    )
    const options = { command, flags, user, dataDir, environmentFile: environmentPath }
    const content = file.write(options, given)
    if (args.json) printJson({ file: args.file, path: file.path, content })
    else writeOutput(content)
    const hidden = command.find((program) => /^\/(home|root)\//.test(program))
    if (args.file === 'systemd' && hidden !== undefined)
      tell(
        `${hidden} is in a home directory, which the service cannot see. Install it for all users of the system.`,
      )
  },
  words: ['print', ...Object.keys(files)],
  examples: [
    ['service print systemd > /etc/systemd/system/nodectl.service', 'Write the unit, as root'],
    ['service print env --hub-url https://hub.example > /etc/nodectl.env', 'Write its settings'],
    ['service print launchd > /Library/LaunchDaemons/nodectl.plist', 'Write the daemon of macOS'],
  ],
})

const givenSettings = (args: Readonly<Record<string, unknown>>): Given =>
  Object.fromEntries(
    settingNames.flatMap((name) => (typeof args[name] === 'string' ? [[name, args[name]]] : [])),
  )
