import { rmSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '../../../protocol/encoding/index.ts'
import { CliError } from '../cli/errors.ts'
import { readKeptFile, writeKeptFile } from '../data-dir/kept-file.ts'

const fileName = 'binding-text.json'
const fileBytesMax = 4096

/** A text that waits for the signature of the owner's wallet, and the hub it is for. */
export interface PendingText {
  readonly hub: string
  readonly message: string
}

/** Keeps a text until it is signed; a later one takes its place. @throws {@link CliError} */
export function keepPendingText(dataDir: string, pending: PendingText): void {
  const file = path.join(dataDir, fileName)
  try {
    writeKeptFile(file, `${JSON.stringify(pending)}\n`)
  } catch (error) {
    throw new CliError('data_dir', `${file} cannot be written: ${(error as Error).message}`)
  }
}

/** @throws {@link CliError} if nothing was prepared. */
export function readPendingText(dataDir: string): PendingText {
  const file = path.join(dataDir, fileName)
  let pending: unknown
  try {
    pending = JSON.parse(readKeptFile(file, fileBytesMax) ?? 'null')
  } catch (error) {
    throw new CliError('data_dir', `${file} cannot be read: ${(error as Error).message}`)
  }
  if (!isObject(pending) || typeof pending.hub !== 'string' || typeof pending.message !== 'string')
    throw new CliError('no_text', `no text in ${dataDir} waits for a signature`, {
      hint: 'Get one first: the same command without --signature.',
    })
  return { hub: pending.hub, message: pending.message }
}

export const dropPendingText = (dataDir: string): void =>
  rmSync(path.join(dataDir, fileName), { force: true })
