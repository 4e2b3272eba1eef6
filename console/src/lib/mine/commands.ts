/** The commands that set a device up, with the values of this network and wallet. */
export type System = 'checkout' | 'linux' | 'macos' | 'windows'

export interface Commands {
  /** Null where nothing has to be installed. */
  readonly install: string | null
  readonly key: string
  readonly bind: string
  readonly serve: string
  /** Null where the device is only tried. */
  readonly service: string | null
}

export function commandsFor(
  system: System,
  { hub, owner, isLocal, version }: { hub: string; owner: string; isLocal: boolean; version: string },
): Commands {
  const nodectl = system === 'checkout' ? 'npm run -s nodectl --' : 'nodectl'
  const more = ' \\\n  '
  const at = `--data-dir ./node${more}--hub-url ${hub}`
  return {
    install: system === 'checkout' ? null : `npm install -g ./nodectl-${version}.tgz\nnodectl doctor`,
    key: `${nodectl} keygen --data-dir ./node`,
    bind: `${nodectl} bind ${at}${more}--owner ${owner}`,
    // The time of a local network may be moved.
    serve: `${nodectl} serve ${at}${isLocal ? `${more}--clock hub` : ''}`,
    service: serviceOf(system, hub),
  }
}

function serviceOf(system: System, hub: string): string | null {
  if (system === 'checkout') return null
  if (system === 'macos')
    return `nodectl service print launchd --hub-url ${hub} | sudo tee /Library/LaunchDaemons/nodectl.plist`
  return `nodectl service print systemd | sudo tee /etc/systemd/system/nodectl.service\nnodectl service print env --hub-url ${hub} | sudo tee /etc/nodectl.env`
}

/** The system of this browser, where a hub on this machine is one that runs from a checkout. */
export const guessSystem = (isLocal: boolean, platform: string): System =>
  isLocal ? 'checkout' : /mac/i.test(platform) ? 'macos' : /win/i.test(platform) ? 'windows' : 'linux'
