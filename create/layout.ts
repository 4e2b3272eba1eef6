import { existsSync, readFileSync } from 'node:fs'
import { UsageError } from '../scripts/command/errors.ts'

/** The paths of the parts of a project. */
export const layout = {
  module: 'assembly/index.ts',
  samples: 'samples.json',
  manifest: 'manifest.json',
  artifact: 'build/module.hbc',
} as const

/**
 * Whether this folder is a project: it has a manifest, and its package.json depends on the package that has these commands.
 * Without a manifest the package is only installed there, which also is a way to start a project.
 *
 * @throws {@link UsageError}
 */
export function isInProject(packageName: string): boolean {
  if (!existsSync(layout.manifest)) return false
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    return Object.hasOwn({ ...dependencies, ...devDependencies }, packageName)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw new UsageError(`package.json of this folder cannot be read: ${(error as Error).message}.`)
  }
}

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
