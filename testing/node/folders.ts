import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fillAscHome } from './package-calls.ts'

/** A folder that goes away with the run of the tests. */
export const temporaryFolder = (): string => mkdtempSync(path.join(tmpdir(), 'nodectl-'))

/** The data directory of a new node. */
export const newFolder = (): string => path.join(temporaryFolder(), 'node')

/** The data directory of a new node that has its key already. @param seed - Of the key, as `0x…`. */
export function folderWithKey(seed: string): string {
  const folder = newFolder()
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(path.join(folder, 'node.key'), `${seed.slice(2)}\n`, { mode: 0o600 })
  return folder
}

/** A compiler folder that is filled already, from the project's own copy. */
export const filledAscHome = (): string => fillAscHome(path.join(temporaryFolder(), 'asc'))
