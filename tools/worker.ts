import { readFileSync } from 'node:fs'
import { isBytes32 } from '../protocol/encoding/index.ts'
import { ArtifactError, parseArtifact } from '../protocol/hbc/artifact.ts'
import { UsageError } from '../scripts/command/errors.ts'
import type { Wallet } from '../scripts/hub/wallet.ts'
import { printStep } from './print.ts'

/** The module that does the work of a project. */
export interface Worker {
  readonly address: string
  /** The artifact, where a file was named. */
  readonly bytes: Uint8Array | null
}

/** @param text the address of an uploaded module, or an artifact's file. @throws {@link UsageError} */
export function readWorker(text: string): Worker {
  if (isBytes32(text)) return { address: text, bytes: null }
  const bytes = readBytes(text)
  try {
    return { address: parseArtifact(bytes, { isNew: true }).manifestAddress, bytes }
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error
    const reasons = error.problems.map(({ path, message }) => ` ${path}: ${message}`)
    throw new UsageError(
      `${text} is not an artifact that the hub accepts: ${[error.message, ...reasons].join(';')}. nodectl compile makes one.`,
    )
  }
}

function readBytes(file: string): Uint8Array {
  try {
    return new Uint8Array(readFileSync(file))
  } catch (error) {
    throw new UsageError(
      `WORKER is neither the address of an uploaded module, 0x and 64 hex digits, nor a file: ${file} cannot be read: ${(error as Error).message}`,
    )
  }
}

/** Uploads an artifact, unless the hub has it. */
export async function uploadWorker({ client }: Wallet, { address, bytes }: Worker): Promise<void> {
  if (bytes === null) return
  printStep('Upload the worker')
  if ((await client.find('GET /v1/modules/{address}', { path: { address } })) !== null) return
  await client.call('POST /v1/modules', { body: { hbc_b64: Buffer.from(bytes).toString('base64') } })
}
