import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { deriveNodeId, type Profile } from '../../../protocol/identity/index.ts'
import { CliError } from '../cli/errors.ts'
import { shellWord } from '../cli/shell-word.ts'
import { nodeSigner } from '../node-signer.ts'
import { makeFolder } from './make-folder.ts'
import { ForeignFile, othersCanRead, readAtMost, useOwnFile } from './own-file.ts'
import { syncFolder } from './sync-folder.ts'

const keyFileName = 'node.key'
/** 64 hex digits and a newline. */
const keyBytesMax = 65

/** The identity of a node. */
export interface Identity {
  key_file: string
  node_id: string
  public_key: string
}

/**
 * Reads the key of a data directory: 64 hex digits and a newline, for its owner's eyes only.
 *
 * @returns The ed25519 seed as `0x` and 64 hex digits, or null if no key was made.
 * @throws {@link CliError} for a file that others can read, or that does not hold a key.
 */
export function readNodeKey(dataDir: string): string | null {
  const file = path.join(dataDir, keyFileName)
  try {
    return useOwnFile(file, constants.O_RDONLY, (descriptor) => {
      if (othersCanRead(descriptor))
        throw new CliError(
          'key_exposed',
          `others can read the node key ${file}; mend it with: chmod 600 ${shellWord(file)}`,
        )
      const text = readAtMost(descriptor, keyBytesMax).toString('latin1')
      if (!/^[0-9a-f]{64}\n?$/.test(text))
        throw new CliError(
          'key_malformed',
          `${file} is not a node key: it must be 64 hex digits and a newline`,
        )
      return `0x${text.trim()}`
    })
  } catch (error) {
    if (error instanceof CliError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    if (error instanceof ForeignFile)
      throw new CliError('key_malformed', `${error.message}; a node key is a regular file`)
    throw new CliError('data_dir', `${file} cannot be read: ${(error as Error).message}`)
  }
}

/** @throws {@link CliError} if no key was made. */
export function requireNodeKey(dataDir: string): string {
  const seed = readNodeKey(dataDir)
  if (seed !== null) return seed
  throw new CliError(
    'no_key',
    `no node key in ${dataDir}; create one with: nodectl keygen --data-dir ${shellWord(dataDir)}`,
  )
}

/**
 * Makes the key of a data directory. A key that is there, or that appears meanwhile, is kept.
 *
 * @returns The seed that is in the file.
 */
export async function createNodeKey(dataDir: string): Promise<string> {
  const existing = readNodeKey(dataDir)
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
  const seed = readNodeKey(dataDir)
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
