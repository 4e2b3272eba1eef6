import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Files of the repository, each with the files that it imports: for types too, and when they are needed. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

const root = path.join(import.meta.dirname, '../..')
const fromClause =
  /^(?:import|export)\b[^'"]*?\bfrom '(\.[^'?]+)|^import '(\.[^'?]+)|\bimport\('(\.[^'?]+)'\)/gm

/** Every file that git knows and that has one of the endings, with paths from the root. */
export function listFiles(...endings: readonly string[]): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', ...endings.map((end) => `*${end}`)]
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  return listed.split('\n').filter((file) => file !== '' && existsSync(path.join(root, file)))
}

/** Reads the imports of all TypeScript of the repository. Code for the compiler of modules is not TypeScript. */
export function readImportGraph(): ImportGraph {
  const files = listFiles('.ts', '.mjs').filter(
    (file) => !file.includes('/assembly/') && !/^examples\/[^/]+\.ts$/.test(file),
  )
  return new Map(files.map((file) => [file, importsOf(file, readText(file))]))
}

/** The relative imports of one file, with paths from the root. */
export function importsOf(file: string, text: string): string[] {
  const targets = [...text.matchAll(fromClause)].map(([, from, bare, called]) => from ?? bare ?? called ?? '')
  return [...new Set(targets.map((target) => path.posix.join(path.posix.dirname(file), target)))]
}

export const readText = (file: string): string => readFileSync(path.join(root, file), 'utf8')
