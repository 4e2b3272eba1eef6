/** The commands that make a service of a node that runs in a terminal: its user, its data with the key, its settings, its unit. */

/** The systems on which a node can run as a service. */
export type ServiceSystem = 'linux' | 'macos' | 'windows'

interface Place {
  readonly user: string
  readonly dataDir: string
  /** Creates the user, unless the machine has it. */
  readonly addUser: string
  readonly kind: 'systemd' | 'launchd'
  readonly unit: string
  /** Whom the settings are for: systemd reads them as root, a launchd daemon as its user. */
  readonly settingsOwner: string
  readonly start: readonly string[]
  readonly log: string
}

const linux: Place = {
  user: 'nodectl',
  dataDir: '/var/lib/nodectl',
  addUser: 'sudo useradd --system --shell /usr/sbin/nologin nodectl',
  kind: 'systemd',
  unit: '/etc/systemd/system/nodectl.service',
  settingsOwner: 'root',
  start: ['sudo systemctl daemon-reload', 'sudo systemctl enable --now nodectl'],
  log: 'sudo journalctl -fu nodectl',
}

const macos: Place = {
  // Users of services begin with an underscore there.
  user: '_nodectl',
  dataDir: '/usr/local/var/nodectl',
  addUser: 'sudo sysadminctl -addUser _nodectl -UID 390 -roleAccount',
  kind: 'launchd',
  unit: '/Library/LaunchDaemons/nodectl.plist',
  settingsOwner: '_nodectl',
  start: ['sudo launchctl bootstrap system /Library/LaunchDaemons/nodectl.plist'],
  log: 'tail -f /var/log/nodectl.log',
}

const settingsFile = '/etc/nodectl.env'

/**
 * Each command runs only if all before it succeeded, so that no service starts without the bound key. The copied folder gets
 * another name, so that nobody starts a second node with it.
 *
 * @param settings - The flags of `serve` besides its data directory.
 */
export function serviceCommands(system: ServiceSystem, settings: string): string {
  const { user, dataDir, addUser, kind, unit, settingsOwner, start, log } = system === 'macos' ? macos : linux
  return [
    'ls ./node/node.key',
    `{ id ${user} > /dev/null 2>&1 || ${addUser}; }`,
    `sudo mkdir -p ${dataDir.slice(0, dataDir.lastIndexOf('/'))}`,
    // Another node may have it already.
    `sudo mkdir ${dataDir}`,
    `sudo cp -pR ./node/. ${dataDir}`,
    `sudo chown -R ${user} ${dataDir}`,
    `sudo chmod 700 ${dataDir}`,
    `sudo chmod 600 ${dataDir}/node.key`,
    'mv ./node ./node-copy',
    `nodectl service print env --data-dir ${dataDir} ${settings} | sudo tee ${settingsFile} > /dev/null`,
    `sudo chown ${settingsOwner} ${settingsFile}`,
    `sudo chmod 600 ${settingsFile}`,
    `nodectl service print ${kind} --user ${user} | sudo tee ${unit} > /dev/null`,
    ...start,
    log,
  ].join(' &&\n')
}
