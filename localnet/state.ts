import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { lockFolder } from '../node-cli/src/data-dir/folder-lock.ts'
import { callOf } from '../scripts/command/call.ts'
import { StartError } from './errors.ts'

/** The folder in which the local network keeps its data; `LOCALNET_DIR` names another one. */
export const stateFolder = process.env.LOCALNET_DIR ?? '.localnet'

/**
 * Locks a folder for this process, and creates it if needed: two networks over one database would corrupt it.
 *
 * @returns Gives it back.
 * @throws {@link StartError} while another process has it, or when the folder cannot be used.
 */
export function lockState(folder: string): () => void {
  if (folder === '') throw new StartError('LOCALNET_DIR is empty. Name a folder in it, or unset it.')
  const lock = withStartErrors(folder, () => lockFolder(folder, 'localnet'))
  if (lock.status === 'busy') throw runningAlready(folder, lock.pid)
  return lock.release
}

function runningAlready(folder: string, pid: number | null): StartError {
  const way = pid === null ? 'Stop it there with Ctrl-C' : `Stop it there with Ctrl-C, or: kill ${pid}`
  return new StartError(
    `The local network is running already in ${folder}/. ${way}. To run another one beside it: ` +
      `LOCALNET_DIR=<folder> ${callOf('start', '--port <number>')}`,
  )
}

/** The files and folders of a network, with their paths. */
export const networkFiles = (folder: string) => ({
  /** Databases and objects of the hub. */
  storage: path.join(folder, 'storage'),
  /** The state that the chain writes. */
  chain: path.join(folder, 'chain.json'),
  /** There until the first start has ended well. */
  firstStart: path.join(folder, 'first-start'),
  /** Which deployment the hub's data is about. */
  deployment: path.join(folder, 'deployment.json'),
  /** The names of the network, in the form of `--profile`. */
  profile: path.join(folder, 'profile.json'),
  /** Changes of its parameters, in the form of `--params-changes`; a network without changes has no such file. */
  paramsChanges: path.join(folder, 'params-changes.json'),
  /** Data directories of the sample devices. */
  devices: path.join(folder, 'devices'),
  /** Data directories of the validators. */
  validators: path.join(folder, 'validators'),
  /** Logs of the nodes. */
  logs: path.join(folder, 'logs'),
})

export type NetworkFiles = ReturnType<typeof networkFiles>

/** Forgets databases, objects, secrets and the chain. */
export function clearState(folder: string): void {
  withStartErrors(folder, () => {
    for (const name of [
      'storage',
      'hub-secret',
      'coordinator-seed',
      'node-token',
      'chain.json',
      'chain-states',
      'first-start',
      'deployment.json',
      'profile.json',
      'params-changes.json',
      'devices',
      'validators',
      'logs',
    ]) {
      const file = path.join(folder, name)
      for (const one of [file, ...asides(file)]) rmSync(one, { recursive: true, force: true })
    }
  })
}

/**
 * Moves away a file or folder that can no longer be used, beside those that were moved before, where it can still be found.
 *
 * @returns Its new path, or null if it did not exist.
 */
export function setAside(file: string): string | null {
  if (!existsSync(file)) return null
  return withStartErrors(path.dirname(file), () => {
    const aside = `${file}.old`
    const last = Math.max(0, ...asides(file).map((one) => Number(one.slice(aside.length + 1) || 1)))
    const free = last === 0 ? aside : `${aside}.${last + 1}`
    renameSync(file, free)
    return free
  })
}

/** The paths to which it was moved before: `storage.old`, `storage.old.2`, `storage.old.3` … */
function asides(file: string): string[] {
  const folder = path.dirname(file)
  if (!existsSync(folder)) return []
  const start = `${path.basename(file)}.old`
  return readdirSync(folder)
    .filter((name) => name.startsWith(start) && /^(\.\d+)?$/.test(name.slice(start.length)))
    .map((name) => path.join(folder, name))
}

/** The secret of this local network, made at its first start. */
export const readHubSecret = (folder: string): string => readSecret(folder, 'hub-secret')

/** The seed that the hub of this local network signs its calls to nodes with, made at its first start. */
export const readCoordinatorSeed = (folder: string): string => `0x${readSecret(folder, 'coordinator-seed')}`

/** The token of the operator of this local network's nodes, made at its first start. */
export const readNodeToken = (folder: string): string => readSecret(folder, 'node-token')

function readSecret(folder: string, name: string): string {
  const file = path.join(folder, name)
  return withStartErrors(folder, () => {
    const kept = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (/^[0-9a-f]{64}$/.test(kept)) return kept
    const secret = randomBytes(32).toString('hex')
    writeFileSync(file, secret, { mode: 0o600 })
    return secret
  })
}

/** Does something with the files of a folder. @throws {@link StartError} with what the system says against it. */
export function withStartErrors<T>(folder: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw unusable(folder, error)
  }
}

const unusable = (folder: string, error: unknown): StartError =>
  new StartError(
    `The folder ${folder}/ cannot be used: ${(error as Error).message}. LOCALNET_DIR names another one.`,
  )
