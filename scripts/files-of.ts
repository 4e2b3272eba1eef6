import { readdirSync } from 'node:fs'
import path from 'node:path'

/** The files of a folder, or of one in it, by their paths from the first. */
export const filesOf = (place: string, below = ''): string[] =>
  readdirSync(path.join(place, below), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(place, path.join(entry.parentPath, entry.name)))
