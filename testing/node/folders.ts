import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fillAscHome } from './package-calls.ts'

/** A folder that goes away with the run of the tests. */
export const temporaryFolder = (): string => mkdtempSync(path.join(tmpdir(), 'nodectl-'))

/** The data directory of a new node. */
export const newFolder = (): string => path.join(temporaryFolder(), 'node')

/** A compiler folder that is filled already, from the project's own copy. */
export const filledAscHome = (): string => fillAscHome(path.join(temporaryFolder(), 'asc'))
