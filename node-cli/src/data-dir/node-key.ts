import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Profile } from '../../../protocol/identity/index.ts'
import { deriveNodeId } from '../../../protocol/identity/index.ts'
import { CliError } from '../cli/errors.ts'
import { nodeSigner } from '../node-signer.ts'
import { makeFolder } from './make-folder.ts'

const keyFileName = 'node.key'
const othersMask = 0o077

/** Who a node is. */
export interface Identity {
  key_file: string
  node_id: string
  public_key: string
}

/**
 * Reads the key of a data directory: 64 hex digits and a newline, for its owner's eyes only.
 *
 * @returns The ed25519 seed as `0x` and 64 hex digits, or null when there is none.
 * @throws {@link CliError} for a file others can read, or that is no key.
 */
export async function readNodeKey(dataDir: string): Promise<string | null> {
  const file = path.join(dataDir, keyFileName)
  let mode: number
  try {
    mode = (await stat(file)).mode
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw unreadable(file, error)
  }
  if (process.platform !== 'win32' && mode & othersMask)
    throw new CliError('key_exposed', `others can read the node key ${file}; mend it with: chmod 600 ${file}`)
  const text = await readFile(file, 'utf8').catch((error) => {
    throw unreadable(file, error)
  })
  if (!/^[0-9a-f]{64}\n?$/.test(text))
    throw new CliError('key_malformed', `${file} is not a node key: it must be 64 hex digits and a newline`)
  return `0x${text.trim()}`
}

/**
 * Makes the key of a data directory. A key that is there, or that appears meanwhile, is kept.
 *
 * @returns The seed that is in the file.
 */
export async function createNodeKey(dataDir: string): Promise<string> {
  const existing = await readNodeKey(dataDir)
  if (existing !== null) return existing
  const file = path.join(dataDir, keyFileName)
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    makeFolder(dataDir, 0o700)
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(`${randomBytes(32).toString('hex')}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    // A link, unlike a rename, never replaces a file; and the key is whole when its name appears.
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await syncFolder(dataDir)
  } catch (error) {
    throw new CliError(
      'data_dir',
      `the node key cannot be written to ${dataDir}: ${(error as Error).message}`,
    )
  } finally {
    await rm(temporary, { force: true }).catch(() => {})
  }
  const seed = await readNodeKey(dataDir)
  if (seed === null) throw new CliError('data_dir', `the node key disappeared from ${dataDir}`)
  return seed
}

export function identityOf(profile: Profile, dataDir: string, seed: string): Identity {
  const { publicKey } = nodeSigner(seed)
  return {
    key_file: path.join(dataDir, keyFileName),
    node_id: deriveNodeId(profile, publicKey),
    public_key: publicKey,
  }
}

/** A new name survives a power cut only once its folder was written too. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

const unreadable = (file: string, error: unknown) =>
  new CliError('data_dir', `${file} cannot be read: ${(error as Error).message}`)
