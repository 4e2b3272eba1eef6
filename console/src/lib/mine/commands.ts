import { type ServiceSystem, serviceCommands } from './service-commands.ts'

/** The commands that set a device up, with the values of this network and wallet. */
export type System = 'checkout' | ServiceSystem

export interface Commands {
  /** Null if nothing has to be installed. */
  readonly install: string | null
  readonly key: string
  /** Whether the machine is fit for it; the device is not bound yet. */
  readonly check: string
  readonly bind: string
  readonly serve: string
  /** Null if the device is only tried. */
  readonly service: string | null
}

export function commandsFor(
  system: System,
  { hub, owner, isLocal, version }: { hub: string; owner: string; isLocal: boolean; version: string },
): Commands {
  const nodectl = system === 'checkout' ? 'npm run -s nodectl --' : 'nodectl'
  const more = ' \\\n  '
  const at = `--data-dir ./node${more}--hub-url ${hub}`
  // The time of a local network may be moved.
  const clock = isLocal ? '--clock hub' : ''
  const serveAt = clock === '' ? at : `${at}${more}${clock}`
  return {
    install: system === 'checkout' ? null : `npm install -g ./nodectl-${version}.tgz`,
    key: `${nodectl} keygen --data-dir ./node`,
    check: `${nodectl} doctor ${serveAt}`,
    bind: `${nodectl} bind ${at}${more}--owner ${owner}`,
    serve: `${nodectl} serve ${serveAt}`,
    service: system === 'checkout' ? null : serviceCommands(system, `--hub-url ${hub} ${clock}`.trim()),
  }
}

/** The system of this browser, where a hub on this machine is one that runs from a checkout. */
export const guessSystem = (isLocal: boolean, platform: string): System =>
  isLocal ? 'checkout' : /mac/i.test(platform) ? 'macos' : /win/i.test(platform) ? 'windows' : 'linux'
