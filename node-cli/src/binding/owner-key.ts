import { constants } from 'node:fs'
import { evmAddress } from '../../../protocol/signatures/index.ts'
import { CliError } from '../cli/errors.ts'
import { reason } from '../cli/input.ts'
import { shellWord } from '../cli/shell-word.ts'
import { othersCanRead, readAtMost, useOwnFile } from '../data-dir/own-file.ts'

/** `0x`, 64 digits and the end of the line, as any editor writes it. */
const keyBytesMax = 68

/** The wallet that a device mines for. */
export interface OwnerKey {
  /** secp256k1, `0x` and 64 hex digits. */
  readonly privateKey: string
  readonly address: string
}

/**
 * Reads the key of an owner's wallet from a file of 64 hex digits, with or without `0x`.
 *
 * @throws {@link CliError} for a file that others can read, or that holds no key. Its content is never shown.
 */
export function readOwnerKey(file: string): OwnerKey {
  let text: string
  try {
    text = useOwnFile(file, constants.O_RDONLY, (descriptor) => {
      if (othersCanRead(descriptor))
        throw new CliError(
          'key_exposed',
          `others can read the key ${file}; mend it with: chmod 600 ${shellWord(file)}`,
        )
      return readAtMost(descriptor, keyBytesMax).toString('latin1').trim()
    })
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError('unreadable', `${file} cannot be read: ${reason(error)}`)
  }
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1]
  if (digits !== undefined)
    try {
      const privateKey = `0x${digits.toLowerCase()}`
      return { privateKey, address: evmAddress(privateKey) }
    } catch {
      // Not every number is a key of the curve.
    }
  throw new CliError('key_malformed', `${file} is not the key of a wallet: it must be 64 hex digits`)
}
