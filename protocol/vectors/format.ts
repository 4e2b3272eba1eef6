import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type GivenProfile, type Profile, resolveProfile } from '../identity/index.ts'

/** Input and output of a case are JSON; a runner reads the members it needs. */
// biome-ignore lint/suspicious/noExplicitAny: known answers are untyped JSON, and a wrong shape is a failed case.
export type Json = any

/** One known answer: an input of the topic's function, and the output that it must return. */
export interface VectorCase {
  readonly name: string
  readonly input: Json
  readonly output: Json
}

/** All cases of one topic in one file, under the profile that the file names. */
export interface VectorSet {
  readonly topic: string
  readonly profile: Profile
  readonly cases: readonly VectorCase[]
}

/** Thrown when a file is not a known-answer file. */
export class VectorFileError extends Error {
  override readonly name = 'VectorFileError'
  readonly file: string

  constructor(file: string, reason: string) {
    super(`${file}: ${reason}`)
    this.file = file
  }
}

/**
 * Reads a known-answer file: either `{cases}` with the topic in the file name, or `{profile?, topics: {<topic>: cases}}`.
 * Members of `common` are put under every input.
 * @throws {@link VectorFileError}
 */
export function readVectorFile(file: string): VectorSet[] {
  const content = parseFile(file)
  const profile = resolveProfile((content.profile ?? {}) as GivenProfile)
  const topics: Record<string, Json> = content.topics ?? { [path.basename(file, '.json')]: content.cases }
  return Object.entries(topics).map(([topic, given]) => {
    const cases: Json = Array.isArray(given) ? given : given?.cases
    if (!Array.isArray(cases)) throw new VectorFileError(file, `topic ${topic} has no list of cases.`)
    const common = { ...content.common, ...given?.common }
    return {
      topic,
      profile,
      cases: cases.map((one: Json) => ({ ...one, input: { ...common, ...one.input } })),
    }
  })
}

function parseFile(file: string): Json {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new VectorFileError(file, `cannot be read (${(error as NodeJS.ErrnoException).code ?? error}).`)
  }
  try {
    const content: unknown = JSON.parse(text)
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content
  } catch (error) {
    throw new VectorFileError(file, `is not JSON (${(error as Error).message}).`)
  }
  throw new VectorFileError(file, 'is not a JSON object.')
}
