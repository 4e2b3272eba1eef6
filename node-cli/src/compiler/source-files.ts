import { isUtf8 } from 'node:buffer'
import { statSync } from 'node:fs'
import path from 'node:path'
import { CliError } from '../cli/errors.ts'
import { readUpTo } from '../cli/input.ts'
import { printable } from '../cli/output.ts'
import { guestLibraries } from './guest-libraries.ts'

/**
 * The names that asc gets for the source and the module made for it: the real file name enters neither code nor artifact.
 * The control character keeps these names apart from the names of real files.
 */
export const entryFile = '\u0001entry.ts'
export const sourceFile = '\u0001source.ts'

/** The source as another module names it, inside a string of AssemblyScript. */
export const sourceSpecifier = './\\u0001source'

/** The root asc sees. With one of its own it looks for packages in the same places wherever nodectl is called. */
export const rootFolder = '/'
const libraryFolder = '~nodectl'

/**
 * The file that asc takes as library, by dialect. The exports of these files need no import; those of the other files
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

/** Bytes of one source. */
export const sourceBytesMax = 4 * 1024 * 1024
/** Bytes of the source and all that it imports: the compiler keeps a multiple of them in memory. */
const totalBytesMax = 16 * 1024 * 1024

/** The files of one compilation, by the names asc has for them. */
export interface SourceFiles {
  /** Null tells asc to look elsewhere. */
  read: (name: string, baseDir?: string) => string | null
  /** A name as its author knows it. */
  nameOf: (name: string) => string
  /** asc's messages, with the names their reader knows. */
  explain: (messages: string) => string
}

/**
 * @param text Of the source, which is read already.
 * @param onRead Told each further file before it is read.
 */
export function sourceFiles(source: string, text: string, onRead: OnRead = () => {}): SourceFiles {
  const folder = path.resolve(path.dirname(source))
  const file = path.basename(source)
  const shown = printable(file)
  const known = new Map<string, string | null>()
  let bytesLeft = totalBytesMax - Buffer.byteLength(text)
  const readOnce = (name: string): string | null => {
    const before = known.get(name)
    if (before !== undefined) return before
    const found = readFirst(name.startsWith(packages) ? ancestors(folder) : [folder], name, onRead)
    bytesLeft -= Buffer.byteLength(found ?? '')
    if (bytesLeft < 0)
      throw new CliError('too_large', `${shown} and what it imports are larger than ${totalBytesMax} bytes`)
    known.set(name, found)
    return found
  }
  return {
    read: (name, baseDir) => {
      if (baseDir?.startsWith(libraryFolder)) return libraries[name] ?? null
      if (name === sourceFile) return text
      // For a module that imports the source: the one that is there, not a second one with variables of its own.
      if (name === file) return `export * from "${sourceSpecifier}"`
      // Modules and nothing else: an asconfig.json would change the artifact, and could run code.
      if (!name.endsWith('.ts')) return null
      return readOnce(name)
    },
    nameOf: (name) => (name === sourceFile ? shown : printable(name)),
    explain: (messages) => messages.replaceAll(sourceFile, () => shown),
  }
}

type OnRead = (file: string) => void

function readFirst(folders: readonly string[], name: string, onRead: OnRead): string | null {
  for (const folder of folders) {
    const text = readModule(path.join(folder, name), onRead)
    if (text !== null) return text
  }
  return null
}

/** The text of a module, or null if no file of that name can be read. */
function readModule(file: string, onRead: OnRead): string | null {
  let bytes: Uint8Array
  try {
    if (!statSync(file).isFile()) return null
    onRead(file)
    bytes = readUpTo(file, sourceBytesMax)
  } catch {
    return null
  }
  if (bytes.length > sourceBytesMax)
    throw new CliError('too_large', `${file} is larger than ${sourceBytesMax} bytes`)
  return decodeSource(bytes, file)
}

/**
 * Every character counts to the compiler: a byte order mark is part of the text.
 *
 * @throws {@link CliError} for another encoding: the module would have other letters in its texts than its author sees.
 */
export function decodeSource(bytes: Uint8Array, file: string): string {
  if (isUtf8(bytes)) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  throw new CliError('encoding', `${file} is not text in UTF-8; save it in that encoding`)
}

function ancestors(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...ancestors(parent)]
}
