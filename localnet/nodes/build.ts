import { keptNodectl } from '../../node-cli/kept-build.ts'
import { StartError } from '../errors.ts'

/**
 * The tool `nodectl`, built as it is published.
 *
 * @returns The folder of the build.
 * @throws {@link StartError} with what the bundler says.
 */
export const builtNodectl = (): Promise<string> =>
  keptNodectl().catch((error: Error) => {
    throw new StartError(error.message)
  })
