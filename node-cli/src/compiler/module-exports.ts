import { CliError } from '../cli/errors.ts'
import type { Ast, AstNode } from './asc.ts'
import { type SourceFiles, sourceFile } from './source-files.ts'

/** The meaning of a name that the source exports. */
export type Exported =
  | { kind: 'function'; node: AstNode; place: string }
  /** A variable that holds a function: its value may change, so it is not a function of its own. */
  | { kind: 'variable'; place: string }
  /** A name of a package or library, whose modules are not inspected. */
  | { kind: 'foreign'; place: string; specifier: string }
  /** A constant, class, enum, type or namespace. */
  | { kind: 'other' }

interface Module {
  /** The name its author knows. */
  name: string
  text: string
  statements: readonly AstNode[]
}

/**
 * Finds what the source exports under each name, through lists, renames and other modules of its own.
 *
 * @throws {@link CliError} for a module that cannot be parsed, a name found nowhere, and a form that hides names.
 */
export function findExports(ast: Ast, files: SourceFiles): Map<string, Exported> {
  const resolver = new ExportResolver(ast, files)
  const path = sourceFile.replace(/\.ts$/, '')
  return new Map([...resolver.names(path)].map((name) => [name, resolver.exported(path, name)]))
}

/** A call of `hive.define` at module level. */
export interface Definition {
  /** Null when it is not a string literal. */
  name: string | null
  place: string
}

/**
 * Finds what the source and the modules of its own that it loads define.
 *
 * @throws {@link CliError} for a module that cannot be parsed.
 */
export function findDefinitions(ast: Ast, files: SourceFiles): Definition[] {
  const path = sourceFile.replace(/\.ts$/, '')
  return new ExportResolver(ast, files).definitions(path)
}

/** Modules are named by asc's internal paths: without extension, relative to the root. */
class ExportResolver {
  readonly #ast: Ast
  readonly #files: SourceFiles
  readonly #modules = new Map<string, Module | null>()

  constructor(ast: Ast, files: SourceFiles) {
    this.#ast = ast
    this.#files = files
  }

  /** @param open Modules that are being looked at: some export each other in a circle. */
  names(path: string, open: ReadonlySet<string> = new Set()): Set<string> {
    const module = this.#module(path)
    if (module === null || open.has(path)) return new Set()
    const within = new Set([...open, path])
    return new Set(
      module.statements.flatMap((node) => {
        const own = this.#ownNames(module, node)
        if (!this.#passesOn(node)) return own
        return [...this.names(this.#pathOf(module, node), within)].filter((name) => name !== 'default')
      }),
    )
  }

  /** @param seen Keys of the names that are being resolved: names may export each other in a circle. */
  exported(path: string, name: string, seen: ReadonlySet<string> = new Set()): Exported {
    const key = `${path}\n${name}`
    const module = this.#module(path)!
    const within = new Set([...seen, key])
    const { statements } = module
    const own = statements.find((node) => this.#ownNames(module, node).includes(name))
    if (own && !seen.has(key)) return this.#own(module, own, name, within)
    // Names that a module exports itself come before names of its `export *`.
    const passing = statements.find(
      (node) => this.#passesOn(node) && this.names(this.#pathOf(module, node)).has(name),
    )
    if (passing && !seen.has(key)) return this.exported(this.#pathOf(module, passing), name, within)
    throw new CliError('compile', `${module.name} does not compile: it exports no ${name}`)
  }

  /** @param seen Modules that have been looked at. */
  definitions(path: string, seen: Set<string> = new Set()): Definition[] {
    const module = this.#module(path)
    if (module === null || seen.has(path)) return []
    seen.add(path)
    const hasOwn = module.statements.some((node) => this.#declaresHive(node))
    return module.statements.flatMap((node) => {
      // An imported module is loaded, and so defines its functions, before the module that imports it.
      if (node.internalPath && !isForeign(node)) return this.definitions(node.internalPath, seen)
      return hasOwn ? [] : this.#definition(module, node)
    })
  }

  /** Whether the name `hive` means something of the module's own. */
  #declaresHive(node: AstNode): boolean {
    if (node.kind !== this.#ast.NodeKind.Import) return node.name?.text === 'hive'
    if (node.internalPath === '~lib/hivekit') return false
    return [node.namespaceName, ...(node.declarations ?? []).map(({ name }) => name)].some(
      (name) => name?.text === 'hive',
    )
  }

  #definition(module: Module, node: AstNode): Definition[] {
    const { NodeKind, LiteralKind } = this.#ast
    const call = node.expression
    if (node.kind !== NodeKind.Expression || call?.kind !== NodeKind.Call) return []
    const callee = call.expression
    if (callee?.kind !== NodeKind.PropertyAccess || callee.property?.text !== 'define') return []
    if (callee.expression?.kind !== NodeKind.Identifier || callee.expression.text !== 'hive') return []
    const first = call.args?.[0]
    const isText = first?.kind === NodeKind.Literal && first.literalKind === LiteralKind.String
    return [{ name: isText ? first.value! : null, place: placeOf(module, node) }]
  }

  #own(module: Module, node: AstNode, name: string, seen: ReadonlySet<string>): Exported {
    const { NodeKind } = this.#ast
    if (node.kind === NodeKind.ExportDefault) return this.#declared(module, node.declaration!, seen)
    if (node.kind === NodeKind.Variable)
      return this.#declared(module, node.declarations!.find((one) => one.name.text === name)!, seen)
    if (node.kind !== NodeKind.Export) return this.#declared(module, node, seen)
    const member = node.members!.find(({ exportedName }) => exportedName!.text === name)!
    return node.path
      ? this.#imported(module, node, member.localName!.text, seen)
      : this.#local(module, node, member.localName!.text, seen)
  }

  /** The names a statement exports, other than those it passes on. */
  #ownNames(module: Module, node: AstNode): string[] {
    const { NodeKind } = this.#ast
    switch (node.kind) {
      case NodeKind.ExportImport:
        throw new CliError(
          'export_form',
          `${placeOf(module, node)}: export import is not supported; write: export { NAME as ${node.externalName!.text} }`,
        )
      case NodeKind.ExportDefault:
        return ['default']
      case NodeKind.Export:
        return (node.members ?? []).map(({ exportedName }) => exportedName!.text)
      case NodeKind.Variable:
        return node.declarations!.filter(this.#isExported).map(({ name }) => name.text)
      default:
        return this.#isExported(node) ? [node.name.text] : []
    }
  }

  /** The export of another module under a name. */
  #imported(module: Module, node: AstNode, name: string, seen: ReadonlySet<string>): Exported {
    if (isForeign(node)) return { kind: 'foreign', place: placeOf(module, node), specifier: node.path!.value }
    return this.exported(this.#pathOf(module, node), name, seen)
  }

  /** The meaning of a name inside a module. */
  #local(module: Module, user: AstNode, name: string, seen: ReadonlySet<string>): Exported {
    const { NodeKind } = this.#ast
    for (const node of module.statements) {
      if (node.kind === NodeKind.Import) {
        if (node.namespaceName?.text === name) return { kind: 'other' }
        const binding = node.declarations?.find((one) => one.name.text === name)
        if (binding) return this.#imported(module, node, binding.foreignName!.text, seen)
      }
      const declarations = node.kind === NodeKind.Variable ? node.declarations! : [node]
      const declaration = declarations.find((one) => one.name?.text === name)
      if (declaration) return this.#declared(module, declaration, seen)
    }
    throw new CliError('compile', `${placeOf(module, user)}: ${name} is exported, but declared nowhere`)
  }

  #declared(module: Module, node: AstNode, seen: ReadonlySet<string>): Exported {
    const { NodeKind } = this.#ast
    const place = placeOf(module, node)
    if (node.kind === NodeKind.FunctionDeclaration) return { kind: 'function', node, place }
    if (node.kind === NodeKind.VariableDeclaration && this.#holdsFunction(module, node, seen))
      return { kind: 'variable', place }
    return { kind: 'other' }
  }

  #holdsFunction(module: Module, node: AstNode, seen: ReadonlySet<string>): boolean {
    const { NodeKind } = this.#ast
    if (node.type) return this.#isFunctionType(module, node.type)
    let value = node.initializer
    while (value?.kind === NodeKind.Parenthesized) value = value.expression
    if (value?.kind === NodeKind.Function) return true
    if (value?.kind !== NodeKind.Identifier || !this.#isKnown(module, value.text!)) return false
    const key = `${module.name}\n${node.name.text} =`
    if (seen.has(key)) return false
    const named = this.#local(module, node, value.text!, new Set([...seen, key]))
    return named.kind === 'function' || named.kind === 'variable'
  }

  /** Whether the module itself has a name. Other names are of the language, such as `NaN`, or of the standard library. */
  #isKnown(module: Module, name: string): boolean {
    return module.statements.some(
      (node) => node.name?.text === name || node.declarations?.some((one) => one.name.text === name),
    )
  }

  #isFunctionType(module: Module, type: AstNode): boolean {
    const { NodeKind } = this.#ast
    if (type.kind === NodeKind.FunctionType) return true
    const alias = module.statements.find(
      (one) => one.kind === NodeKind.TypeDeclaration && one.name.text === type.name?.identifier?.text,
    )
    return alias?.type?.kind === NodeKind.FunctionType
  }

  #isExported = ({ flags }: AstNode): boolean => (flags & this.#ast.CommonFlags.Export) !== 0

  /** Whether it is `export * from "./module"`. */
  #passesOn = ({ kind, members }: AstNode): boolean => kind === this.#ast.NodeKind.Export && !members

  /** The module a statement imports or exports from. */
  #pathOf(module: Module, node: AstNode): string {
    const { value } = node.path!
    if (isForeign(node))
      throw new CliError(
        'export_form',
        `${placeOf(module, node)}: export * from "${value}" passes on a package or library; write the functions you mean`,
      )
    if (this.#module(node.internalPath!) === null)
      throw new CliError('compile', `${placeOf(module, node)}: there is no module ${JSON.stringify(value)}`)
    return node.internalPath!
  }

  #module(path: string): Module | null {
    const known = this.#modules.get(path)
    if (known !== undefined) return known
    const module = this.#parse(`${path}.ts`) ?? this.#parse(`${path}/index.ts`)
    this.#modules.set(path, module)
    return module
  }

  #parse(file: string): Module | null {
    const text = this.#files.read(file)
    if (text === null) return null
    const ast = this.#ast
    const program = ast.newProgram(ast.newOptions())
    ast.parse(program, text, file, true)
    const name = this.#files.nameOf(file)
    for (let found = ast.nextDiagnostic(program); found; found = ast.nextDiagnostic(program))
      if (ast.isError(found))
        throw new CliError('compile', `${name} does not compile`, {
          output: this.#files.explain(ast.formatDiagnostic(found, false, true)),
        })
    const parsed = program.sources.find(({ normalizedPath }) => normalizedPath === file)
    return { name, text, statements: parsed?.statements ?? [] }
  }
}

const isForeign = ({ internalPath }: AstNode): boolean => internalPath!.startsWith('~lib/')

const placeOf = ({ name, text }: Module, { range }: AstNode): string =>
  `${name}:${text.slice(0, range?.start ?? 0).split('\n').length}`
