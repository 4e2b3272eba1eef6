import { describeParamsProblems, readParamsSchedule } from '../../protocol/earnings/index.ts'
import { CanonicalJsonError, parseStrictJson } from '../../protocol/encoding/index.ts'
import type { ParamsSchedule } from '../../protocol/identity/index.ts'
import { CliError } from './cli/errors.ts'
import { readUpTo } from './cli/input.ts'

const bytesMax = 64 * 1024

/**
 * All that this node knows of the parameters of a network: with the changes of a file, or else with those of this version.
 *
 * @param file Null if none was named.
 * @throws {@link CliError} for a file that cannot be read, and for changes that no network can have.
 */
export function paramsScheduleFrom(file: string | null, chainId: number): ParamsSchedule {
  const read = readParamsSchedule(chainId, file === null ? undefined : parseFile(file))
  if ('schedule' in read) return read.schedule
  throw new CliError(
    'params_changes',
    `${file ?? 'this version'} is wrong: ${describeParamsProblems(read.problems)}`,
  )
}

function parseFile(file: string): unknown {
  let bytes: Uint8Array
  try {
    bytes = readUpTo(file, bytesMax)
  } catch (error) {
    throw new CliError(
      'params_changes',
      `the changes of parameters ${file} cannot be read: ${(error as Error).message}`,
    )
  }
  if (bytes.length > bytesMax)
    throw new CliError(
      'params_changes',
      `the changes of parameters ${file} are larger than ${bytesMax} bytes`,
    )
  try {
    return parseStrictJson(bytes)
  } catch (error) {
    if (!(error instanceof CanonicalJsonError)) throw error
    throw new CliError(
      'params_changes',
      `the changes of parameters ${file} are not acceptable JSON: ${error.message}`,
    )
  }
}
