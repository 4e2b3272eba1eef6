import { existsSync } from 'node:fs'
import path from 'node:path'
import { isOlderVersion } from '../../../protocol/identity/index.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { ascHome, ascVersion, isAscInstalled } from '../compiler/asc-home.ts'
import { freeMegabytes } from '../serve/hub/index.ts'
import { type Check, failed, ok, skipped, warning } from './finding.ts'

/** With less a node soon cannot keep what it must. */
const megabytesMin = 200
const megabytesEnough = 2048

export const nodeVersionCheck: Check = () => {
  const needed = packageJson.engines.node.replace('>=', '')
  const found = process.versions.node
  if (isOlderVersion(found, needed))
    return failed(`Node.js ${found} is too old`, `Install Node.js ${needed} or newer.`)
  return ok(`Node.js ${found}`)
}

export const diskCheck =
  (dataDir: string): Check =>
  () => {
    const folder = existingParent(dataDir)
    const free = freeMegabytes(folder)
    if (free === null) return skipped(`the system does not say how much room ${folder} has`)
    const message = `${free} MiB free in ${folder}`
    const mend = 'Make room, or move the data directory while the node is stopped.'
    if (free < megabytesMin) return failed(message, mend)
    return free < megabytesEnough ? warning(message, mend) : ok(message)
  }

/** The folder, or the first above it that is there. */
function existingParent(folder: string): string {
  return existsSync(folder) ? folder : existingParent(path.dirname(folder))
}

export const compilerCheck: Check = async () => {
  const home = ascHome()
  if (await isAscInstalled(home)) return ok(`AssemblyScript ${ascVersion} in ${home}`)
  const hasNpm = (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => existsSync(path.join(folder, process.platform === 'win32' ? 'npm.cmd' : 'npm')))
  if (hasNpm)
    return ok(`AssemblyScript ${ascVersion} is installed by the first compile; serve does not need it`)
  return warning(
    'there is no compiler and no npm to install it; serve and run do not need it',
    'Install npm if you want to compile modules; it comes with Node.js.',
  )
}
