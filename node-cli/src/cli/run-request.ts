import {
  type Artifact,
  ArtifactError,
  artifactBytesMax,
  openArtifact,
} from '../../../protocol/hbc/artifact.ts'
import { type EngineChoice, engineNames } from '../engine/engine-name.ts'
import { NodeFault } from '../engine/execution.ts'
import { limits } from '../engine/limits.ts'
import { CliError, UsageError } from './errors.ts'
import { nameOf, readInput } from './input.ts'

/** Flags that say what a run is given; `run` and `verify` share them. */
export const inputArguments = {
  input: {
    type: 'string',
    valueHint: 'TEXT',
    description: 'Input of the function, passed unchanged (default empty)',
  },
  'input-file': {
    type: 'string',
    valueHint: 'FILE',
    description: 'Take the input from a file; - is standard input',
  },
} as const

/** @throws {@link CliError} for an unreadable or too large input, {@link UsageError} for both flags at once. */
export async function readRunInput(args: {
  input?: string | undefined
  'input-file'?: string | undefined
}): Promise<Uint8Array> {
  const file = args['input-file']
  if (file !== undefined && args.input !== undefined)
    throw new UsageError('--input and --input-file cannot be used together')
  if (file !== undefined) return readInput(file, limits.input)
  const bytes = new TextEncoder().encode(args.input ?? '')
  if (bytes.length > limits.input)
    throw new CliError('too_large', `the input is larger than ${limits.input} bytes`)
  return bytes
}

/**
 * @param onRead Called with the length of the file, before it is opened.
 * @throws {@link CliError} with the rule the artifact breaks.
 */
export async function readArtifactFile(
  file: string,
  onRead?: (length: number) => void,
): Promise<Artifact & { bytes: Uint8Array }> {
  const bytes = await readInput(file, artifactBytesMax)
  onRead?.(bytes.length)
  try {
    return { ...openArtifact(bytes), bytes }
  } catch (error) {
    if (error instanceof ArtifactError)
      throw new CliError(error.rule, `${nameOf(file)} is not a valid .hbc artifact: ${error.message}`)
    throw error
  }
}

/** @throws {@link CliError} for a function the module does not export. */
export function checkExported({ manifest }: Artifact, name: string): void {
  if (!manifest.functions.includes(name))
    throw new CliError('not_exported', `invalid request: function '${name}' is not exported by this module`, {
      hint: `The module exports: ${manifest.functions.join(', ')}`,
    })
}

/** The outcome of a run. @throws {@link CliError} for a fault of the node, with what follows from it. */
export async function orFault<T>(consequence: string, run: Promise<T>): Promise<T> {
  try {
    return await run
  } catch (error) {
    if (error instanceof NodeFault) throw new CliError('node_fault', `${error.message}; ${consequence}`)
    throw error
  }
}

/** How the help describes what {@link engineOf} reads. */
export const engineEnvironment = [
  'NODE_ENGINE',
  'native: only V8; pulley: only the interpreter (default: V8, and the interpreter for modules that V8 cannot run)',
] as const

/** The engine `NODE_ENGINE` asks for. @throws {@link UsageError} */
export function engineOf(env: NodeJS.ProcessEnv = process.env): EngineChoice {
  const asked = env.NODE_ENGINE
  if (!asked) return 'auto'
  const engine = engineNames.find((name) => name === asked)
  if (engine === undefined)
    throw new UsageError(`NODE_ENGINE must be ${engineNames.join(' or ')}, not ${asked}`)
  return engine
}
