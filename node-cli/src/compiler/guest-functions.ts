import { CliError } from '../cli/errors.ts'
import type { Ast, AstNode } from './asc.ts'

/** A function of the source that becomes a function of the artifact. */
export interface GuestFunction {
  name: string
  takesInput: boolean
  givesOutput: boolean
}

/**
 * Finds the exported top-level functions of a source, ascending by name.
 *
 * @param file Shown in errors.
 * @throws {@link CliError} for one of another form, and when there is none.
 */
export function findGuestFunctions(ast: Ast, text: string, file: string): GuestFunction[] {
  const program = ast.newProgram(ast.newOptions())
  ast.parse(program, text, file, true)
  for (let found = ast.nextDiagnostic(program); found; found = ast.nextDiagnostic(program))
    if (ast.isError(found))
      throw new CliError('compile', `${file} does not compile\n${ast.formatDiagnostic(found, false, true)}`)
  const statements = program.sources.find(({ normalizedPath }) => normalizedPath === file)?.statements ?? []
  const functions = statements
    .filter(
      ({ kind, flags }) =>
        kind === ast.NodeKind.FunctionDeclaration && (flags & ast.CommonFlags.Export) !== 0,
    )
    .map((node) => readFunction(ast, node, `${file}:${lineOf(text, node)}`))
  if (functions.length === 0)
    throw new CliError(
      'no_functions',
      `${file} exports no function; export one like: export function main(input: string): string`,
    )
  return functions.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function readFunction(ast: Ast, { name, signature, typeParameters }: AstNode, place: string): GuestFunction {
  const refuse = (what: string) =>
    new CliError(
      'function_form',
      `${place}: the exported function ${name.text} ${what}; it must have the form (input: string) => string, with no parameter or no result at most`,
    )
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name.text))
    throw new CliError(
      'function_name',
      `${place}: the name ${name.text} does not fit; it must be up to 64 letters, digits and _`,
    )
  if (typeParameters && typeParameters.length > 0) throw refuse('is generic')
  const parameters = signature?.parameters ?? []
  if (parameters.length > 1) throw refuse(`takes ${parameters.length} parameters`)
  const takesInput = parameters.length === 1
  if (takesInput && typeName(ast, parameters[0]!.type) !== 'string') throw refuse('takes no string')
  const result = typeName(ast, signature!.returnType)
  if (result !== 'string' && result !== 'void') throw refuse('gives no string')
  return { name: name.text, takesInput, givesOutput: result === 'string' }
}

/** The name of a simple type; null for every other one. A result that is left out is void. */
function typeName(ast: Ast, node: AstNode): string | null {
  if (node.kind !== ast.NodeKind.NamedType) return null
  return (node.name.identifier?.text ?? '') || 'void'
}

const lineOf = (text: string, { range }: AstNode): number =>
  text.slice(0, range?.start ?? 0).split('\n').length

/** The module asc compiles: it dispatches the node's call to the functions of the source. */
export function entryGlue(sourceModule: string, functions: readonly GuestFunction[]): string {
  const cases = functions.map(({ takesInput, givesOutput }, id) => {
    const invocation = `guest${id}(${takesInput ? 'read(ptr, len)' : ''})`
    return givesOutput
      ? `    case ${id}: return write(${invocation});`
      : `    case ${id}: ${invocation}; return 0;`
  })
  // Renamed, so that no name of the source meets one of the glue.
  const imports = functions.map(({ name }, id) => `${name} as guest${id}`).join(', ')
  return `import { ${imports} } from "./${sourceModule}";

export function __alloc(len: i32): i32 {
  return <i32>heap.alloc(<usize>len);
}

function read(ptr: i32, len: i32): string {
  return len == 0 ? "" : String.UTF8.decodeUnsafe(<usize>ptr, <usize>len);
}

function write(output: string): i64 {
  const bytes = String.UTF8.encode(output, false, String.UTF8.ErrorMode.REPLACE);
  return bytes.byteLength == 0 ? 0 : (<i64>changetype<usize>(bytes) << 32) | <i64>bytes.byteLength;
}

export function __hive_entry(func: i32, ptr: i32, len: i32): i64 {
  switch (func) {
${cases.join('\n')}
  }
  return -1;
}
`
}
