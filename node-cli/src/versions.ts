import { isOlderVersion } from '../../protocol/identity/index.ts'
import packageJson from '../package.json' with { type: 'json' }

/** The command that updates this tool on a machine. */
export const installCommand = `npm install -g ${packageJson.name}`

/** Why a hub does not support this version, and what to install; null if it does. @param min The lowest that it supports. */
export function unsupportedBy(min: string, version: string = packageJson.version): string | null {
  if (!isOlderVersion(version, min)) return null
  return `the hub works with nodectl ${min} or newer, and this is ${version}; install it: ${installCommand}`
}
