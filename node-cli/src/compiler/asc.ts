import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** The parts of asc that are used here; it comes without its own types at run time. */
export interface Asc {
  compile: (args: string[], io: AscIo) => Promise<{ error: Error | null }>
  ast: Ast
}

export interface AscIo {
  readFile: (name: string, baseDir: string) => string | null
  writeFile: (name: string, contents: Uint8Array | string, baseDir: string) => void
  listFiles: (dir: string, baseDir: string) => string[]
  stdout: { write: (text: string) => void }
  stderr: { write: (text: string) => void; isTTY?: boolean }
}

export interface Ast {
  newOptions: () => unknown
  newProgram: (options: unknown) => { sources: AstNode[] }
  parse: (program: unknown, text: string, file: string, isEntry: boolean) => void
  nextDiagnostic: (program: unknown) => unknown
  isError: (diagnostic: unknown) => boolean
  formatDiagnostic: (diagnostic: unknown, colors: boolean, context: boolean) => string
  NodeKind: Record<
    | 'Call'
    | 'Export'
    | 'ExportDefault'
    | 'ExportImport'
    | 'Expression'
    | 'Function'
    | 'FunctionDeclaration'
    | 'FunctionType'
    | 'Identifier'
    | 'Import'
    | 'Literal'
    | 'NamedType'
    | 'Parenthesized'
    | 'PropertyAccess'
    | 'TypeDeclaration'
    | 'Variable'
    | 'VariableDeclaration',
    number
  >
  CommonFlags: { Export: number }
  LiteralKind: { String: number }
}

/** A node of the syntax tree, with the members of the kinds that are looked at. */
export interface AstNode {
  kind: number
  flags: number
  range?: { start: number }
  name: AstName
  // Source
  normalizedPath?: string
  statements?: AstNode[]
  // Function
  signature?: { parameters: { type: AstNode }[]; returnType: AstNode }
  typeParameters?: unknown[] | null
  // Type, type declaration, variable declaration
  type?: AstNode | null
  isNullable?: boolean
  initializer?: AstNode | null
  // Expression
  expression?: AstNode
  text?: string
  property?: AstName
  args?: AstNode[]
  literalKind?: number
  value?: string
  // Import and export
  path?: { value: string } | null
  internalPath?: string | null
  declarations?: AstNode[] | null
  foreignName?: AstName
  namespaceName?: AstName | null
  members?: { localName?: AstName; exportedName?: AstName }[] | null
  declaration?: AstNode
  externalName?: AstName
}

export interface AstName {
  text: string
  identifier?: { text: string }
}

/** asc crashed. The message is the text that it wrote to the console. */
class AscCrash extends Error {
  override readonly name = 'AscCrash'
}

/** Catches a crash of asc, which would write to the console and end this process. */
async function outlasting(compile: () => Promise<{ error: Error | null }>): Promise<{ error: Error | null }> {
  const { exit } = process
  const { error: log } = console
  let said = ''
  console.error = (...texts: unknown[]) => {
    said += texts.join(' ')
  }
  process.exit = () => {
    throw new AscCrash(said)
  }
  try {
    return await compile()
  } catch (error) {
    if (error instanceof AscCrash) return { error }
    throw error
  } finally {
    process.exit = exit
    console.error = log
  }
}

/** Loads the compiler that lies in `folder`. */
export async function loadAsc(folder: string): Promise<Asc> {
  const load = (file: string) => import(pathToFileURL(path.join(folder, 'dist', file)).href)
  const [asc, { default: ast }] = await Promise.all([load('asc.js'), load('assemblyscript.js')])
  const libraryFiles: Record<string, string> = asc.libraryFiles
  const standard = new Set(Object.keys(libraryFiles))
  return {
    compile: async (args, io) => {
      try {
        return await outlasting(() => asc.main(args, io))
      } finally {
        // asc keeps the library of one compilation for the next, which may be told another one.
        for (const name of Object.keys(libraryFiles)) if (!standard.has(name)) delete libraryFiles[name]
      }
    },
    ast,
  }
}
