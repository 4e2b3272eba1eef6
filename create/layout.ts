import { readFileSync } from 'node:fs'
import { UsageError } from '../scripts/command/errors.ts'

/** The paths of the parts of a project. */
export const layout = {
  module: 'assembly/index.ts',
  samples: 'samples.json',
  manifest: 'manifest.json',
  artifact: 'build/module.hbc',
} as const

/** The members of a manifest that the commands need; the hub checks the whole. */
export interface ProjectFacts {
  readonly slug: string
  readonly gasLimit: number
}

/** Reads the manifest of the project in this folder. @throws {@link UsageError} */
export function readProject(): ProjectFacts {
  try {
    const { slug, consensus } = JSON.parse(readFileSync(layout.manifest, 'utf8'))
    const gasLimit = consensus?.work?.max_gas_limit
    if (typeof slug !== 'string' || !Number.isSafeInteger(gasLimit))
      throw new Error('it must have slug and consensus.work.max_gas_limit')
    return { slug, gasLimit }
  } catch (error) {
    throw new UsageError(
      `${layout.manifest} of this folder cannot be used: ${(error as Error).message}. Call the command in the folder of a project.`,
    )
  }
}
