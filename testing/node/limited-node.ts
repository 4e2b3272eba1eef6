import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { temporaryFolder } from './folders.ts'

/**
 * The environment of a node whose files cannot grow beyond a size, as on a disk that is full.
 *
 * @param kibibytes - Of each file.
 */
export function limitedNode(kibibytes: number): { readonly env: NodeJS.ProcessEnv } {
  const folder = temporaryFolder()
  const script = `#!/bin/bash\nulimit -f ${kibibytes}\nexec '${process.execPath}' "$@"\n`
  writeFileSync(path.join(folder, 'node'), script, { mode: 0o700 })
  return { env: { PATH: `${folder}${path.delimiter}${process.env.PATH}` } }
}
