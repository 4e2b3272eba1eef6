import {
  CanonicalJsonError,
  isObject,
  type JsonValue,
  joinPath,
  type Problem,
  ProblemList,
  parseStrictJson,
  patterns,
  utf8,
} from '../encoding/index.ts'
import { ArtifactError } from './artifact-error.ts'

/** The runtime every artifact names. */
export const artifactRuntime = 'hive-wasm-v1'

/** `manifest.json` of an artifact. */
export interface ArtifactManifest {
  readonly name: string
  readonly language: string
  readonly compiler: string
  readonly runtime: string
  /** Exported functions, ascending; the index of one is its `func_id`. */
  readonly functions: readonly string[]
  readonly version?: string
  readonly description?: string
  /** Equal to the computed address when present. */
  readonly manifest_address?: string
}

type Check = (value: unknown) => string | null

const text =
  (bytesMin: number, bytesMax: number): Check =>
  (value) => {
    const length = typeof value === 'string' ? utf8(value).length : -1
    return length >= bytesMin && length <= bytesMax
      ? null
      : `must be a string of ${bytesMin} to ${bytesMax} bytes`
  }

const matching =
  (pattern: RegExp, expected: string): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? null : `must be ${expected}`

const functionsMax = 256
/** The shape of the name of an exported function. */
export const functionNamePattern = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
const functionName = matching(
  functionNamePattern,
  'a name: a letter or _, then up to 63 letters, digits or _',
)

const fields: Record<keyof ArtifactManifest, { required: boolean; check: Check }> = {
  name: { required: true, check: text(1, 128) },
  language: { required: true, check: matching(/^[a-z0-9_+-]{1,32}$/, '1 to 32 of a-z, 0-9, _, + and -') },
  compiler: { required: true, check: text(1, 128) },
  runtime: {
    required: true,
    check: (value) => (value === artifactRuntime ? null : `must be ${artifactRuntime}`),
  },
  functions: {
    required: true,
    check: (value) =>
      Array.isArray(value) && value.length >= 1 && value.length <= functionsMax
        ? null
        : `must be a list of 1 to ${functionsMax} names`,
  },
  version: { required: false, check: text(0, 1024) },
  description: { required: false, check: text(0, 1024) },
  manifest_address: {
    required: false,
    check: matching(patterns.bytes32, '0x and 64 lower-case hex digits'),
  },
}

/**
 * Reads `manifest.json` and checks every rule of "Manifest" in the README of this folder, except the address.
 *
 * @throws {@link ArtifactError} `manifest_json` for bytes that are not acceptable JSON, `manifest` with all problems at once.
 */
export function parseManifest(bytes: Uint8Array): ArtifactManifest {
  const value = readJson(bytes)
  const problems = checkManifest(value)
  if (problems.length > 0) {
    const list = problems.map(({ path, message }) => `${path || 'the manifest'} ${message}`).join('; ')
    throw new ArtifactError('manifest', `manifest.json: ${list}`, problems)
  }
  return value as unknown as ArtifactManifest
}

function readJson(bytes: Uint8Array): JsonValue {
  try {
    return parseStrictJson(bytes)
  } catch (error) {
    if (!(error instanceof CanonicalJsonError)) throw error
    const place = error.path ? ` at ${error.path}` : ''
    throw new ArtifactError(
      'manifest_json',
      `manifest.json is not valid canonical JSON${place}: ${error.message}`,
    )
  }
}

function checkManifest(value: unknown): Problem[] {
  if (!isObject(value)) return [{ path: '', code: 'invalid_value', message: 'must be an object' }]
  const problems = new ProblemList()
  for (const [name, { required, check }] of Object.entries(fields)) {
    if (!Object.hasOwn(value, name)) {
      if (required) problems.add({ path: name, code: 'missing', message: 'is required' })
      continue
    }
    const message = check(value[name])
    if (message !== null) problems.add({ path: name, code: 'invalid_value', message })
    else if (name === 'functions') checkFunctions(problems, value[name] as unknown[])
  }
  for (const name of Object.keys(value))
    if (!Object.hasOwn(fields, name))
      problems.add({ path: joinPath('', name), code: 'unknown_key', message: 'is not a known key' })
  return problems.found()
}

/** Names are ASCII, so the order of their UTF-16 units is the order of their bytes. */
function checkFunctions(problems: ProblemList, functions: unknown[]): void {
  for (const [index, name] of functions.entries()) {
    const before = functions[index - 1]
    const isSorted = typeof before !== 'string' || typeof name !== 'string' || before < name
    const message =
      functionName(name) ??
      (isSorted ? null : 'must come after the previous name; names are sorted and unique')
    if (message !== null) problems.add({ path: joinPath('functions', index), code: 'invalid_value', message })
  }
}
