import { readFileSync } from 'node:fs'
import path from 'node:path'
import { printable } from '../cli/output.ts'
import { guestLibraries } from './guest-libraries.ts'

/**
 * What asc calls the source and the module made for it: whatever the source is called enters neither code nor artifact.
 * The control character keeps these names apart from those of all files that people have.
 */
export const entryFile = '\u0001entry.ts'
export const sourceFile = '\u0001source.ts'

/** The source as another module names it, inside a string of AssemblyScript. */
export const sourceSpecifier = './\\u0001source'

/** The root asc sees. With one of its own it looks for packages in the same places wherever nodectl is called. */
export const rootFolder = '/'
const libraryFolder = '~nodectl'

/**
 * What asc is told to take as library, by dialect. The exports of these files need no import; those of the other files
 * in the folder do.
 */
export const libraryOf = {
  exported: `${libraryFolder}/hub.ts`,
  defined: `${libraryFolder}/hivekit.ts`,
} as const

const libraries: Readonly<Record<string, string>> = {
  'hub.ts': guestLibraries.hub,
  'hivekit.ts': guestLibraries.hivekit,
  'node/hub.ts': guestLibraries.hub,
}

const packages = 'node_modules/'

/** The files of one compilation, by the names asc has for them. */
export interface SourceFiles {
  /** Null tells asc to look elsewhere. */
  read: (name: string, baseDir?: string) => string | null
  /** A name as its author knows it. */
  nameOf: (name: string) => string
  /** asc's messages, with the names their reader knows. */
  explain: (messages: string) => string
}

/** @param text Of the source, which is read already. */
export function sourceFiles(source: string, text: string): SourceFiles {
  const folder = path.resolve(path.dirname(source))
  const file = path.basename(source)
  const shown = printable(file)
  return {
    read: (name, baseDir) => {
      if (baseDir?.startsWith(libraryFolder)) return libraries[name] ?? null
      if (name === sourceFile) return text
      // For a module that imports the source: the one that is there, not a second one with variables of its own.
      if (name === file) return `export * from "${sourceSpecifier}"`
      // Modules and nothing else: an asconfig.json would change the artifact, and could run code.
      if (!name.endsWith('.ts')) return null
      return readFirst(name.startsWith(packages) ? ancestors(folder) : [folder], name)
    },
    nameOf: (name) => (name === sourceFile ? shown : printable(name)),
    explain: (messages) => messages.replaceAll(sourceFile, () => shown),
  }
}

function readFirst(folders: readonly string[], name: string): string | null {
  for (const folder of folders)
    try {
      return readFileSync(path.join(folder, name), 'utf8')
    } catch {
      // Not here.
    }
  return null
}

function ancestors(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...ancestors(parent)]
}
