import { functionNamePattern } from '../../../protocol/hbc/artifact.ts'
import { CliError } from '../cli/errors.ts'
import type { Ast, AstNode } from './asc.ts'
import { type Exported, findDefinitions, findExports } from './module-exports.ts'
import { type SourceFiles, sourceFile } from './source-files.ts'

/** A function of the source that becomes a function of the artifact. */
export interface GuestFunction {
  name: string
  takesInput: boolean
  givesOutput: boolean
}

/**
 * The functions of a source, ascending by name, in one of two dialects: it exports them, or it defines them with
 * `hive.define`. They do not mix: `storage.get` of a missing key gives null in the first dialect, empty text in the second.
 */
export type GuestFunctions =
  | { readonly dialect: 'exported'; readonly functions: readonly GuestFunction[] }
  | { readonly dialect: 'defined'; readonly names: readonly string[] }

/** The names that go into the manifest. */
export const namesOf = (guest: GuestFunctions): readonly string[] =>
  guest.dialect === 'exported' ? guest.functions.map(({ name }) => name) : guest.names

/**
 * Finds the functions of a source. Its other exports, constants, classes, enums, types and namespaces, are for the
 * modules that import it; if it defines functions with `hive.define`, so are the functions that it exports.
 *
 * @throws {@link CliError} for a function of another form, and for a source without functions.
 */
export function findGuestFunctions(ast: Ast, files: SourceFiles): GuestFunctions {
  const names = definedNames(ast, files)
  if (names.length > 0) return { dialect: 'defined', names }
  const functions = [...findExports(ast, files)].flatMap(([name, one]) => readExport(ast, name, one))
  if (functions.length === 0)
    throw new CliError(
      'no_functions',
      `${files.nameOf(sourceFile)} exports no function; export one like: export function main(input: string): string`,
    )
  return { dialect: 'exported', functions: functions.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

function definedNames(ast: Ast, files: SourceFiles): string[] {
  const places = new Map<string, string>()
  for (const { name, place } of findDefinitions(ast, files)) {
    if (name === null)
      throw new CliError(
        'function_name',
        `${place}: the name in hive.define must be a string literal, as in: hive.define("main", main)`,
      )
    checkName(name, place)
    const first = places.get(name)
    if (first !== undefined)
      throw new CliError('function_name', `${place}: ${name} is defined twice, the first time at ${first}`)
    places.set(name, place)
  }
  return [...places.keys()].sort()
}

function readExport(ast: Ast, name: string, one: Exported): GuestFunction[] {
  switch (one.kind) {
    case 'other':
      return []
    case 'foreign':
      throw new CliError(
        'export_form',
        `${one.place}: ${name} comes from "${one.specifier}", a package or library; write a function that calls it: ${formOf(name)}`,
      )
    case 'variable':
      throw new CliError(
        'export_form',
        `${one.place}: ${name} is a variable that holds a function; write: ${formOf(name)}`,
      )
    case 'function':
      if (name === 'default')
        throw new CliError(
          'export_form',
          `${one.place}: a default export has no name to call it by; write: ${formOf(one.node.name.text)}`,
        )
      return [readFunction(ast, name, one.node, one.place)]
  }
}

const formOf = (name: string): string =>
  `export function ${name === 'default' ? 'main' : name}(input: string): string { … }`

function readFunction(
  ast: Ast,
  name: string,
  { signature, typeParameters }: AstNode,
  place: string,
): GuestFunction {
  const refuse = (what: string) =>
    new CliError(
      'function_form',
      `${place}: the exported function ${name} ${what}; it must have the form (input: string) => string, with no parameter or no result at most`,
    )
  checkName(name, place)
  if (typeParameters && typeParameters.length > 0) throw refuse('is generic')
  const parameters = signature?.parameters ?? []
  if (parameters.length > 1) throw refuse(`takes ${parameters.length} parameters`)
  const takesInput = parameters.length === 1
  if (takesInput && typeName(ast, parameters[0]!.type) !== 'string') throw refuse('takes no string')
  const result = typeName(ast, signature!.returnType)
  if (result !== 'string' && result !== 'void') throw refuse('gives no string')
  return { name, takesInput, givesOutput: result === 'string' }
}

function checkName(name: string, place: string): void {
  if (!functionNamePattern.test(name))
    throw new CliError(
      'function_name',
      `${place}: the name ${name} does not fit; it must be up to 64 letters, digits and _`,
    )
}

/** The name of a simple type; null for every other one. A result that is left out is void. */
function typeName(ast: Ast, node: AstNode): string | null {
  if (node.kind !== ast.NodeKind.NamedType || node.isNullable) return null
  return (node.name.identifier?.text ?? '') || 'void'
}
