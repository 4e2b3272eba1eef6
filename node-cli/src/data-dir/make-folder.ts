import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Makes a folder, and those it lies in, unless they are there. Node's recursive `mkdir` never ends in a folder like
 * `/proc`, where the system answers that the parent is missing although it is there.
 *
 * @throws What the system says of a folder that cannot be made.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  const problem = makeOne(folder, mode)
  if (problem === null) return
  const parent = path.dirname(folder)
  if (problem.code !== 'ENOENT' || parent === folder) throw problem
  makeFolder(parent, mode)
  const remaining = makeOne(folder, mode)
  if (remaining !== null) throw remaining
}

/** The error that prevents the folder; null if it exists, no matter which process made it. */
function makeOne(folder: string, mode: number): NodeJS.ErrnoException | null {
  try {
    mkdirSync(folder, { mode })
    return null
  } catch (error) {
    const problem = error as NodeJS.ErrnoException
    return problem.code === 'EEXIST' && statSync(folder).isDirectory() ? null : problem
  }
}
