import { type LocalGroup, readLocals } from '../../../../protocol/wasm/body.ts'
import { OperatorDecoder } from '../../../../protocol/wasm/decoder.ts'
import type { Module } from '../../../../protocol/wasm/module.ts'
import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import type { WasmReader } from '../../../../protocol/wasm/reader.ts'
import { localTypeOf } from './local-type.ts'

/** `any` stands for a value of code that cannot be reached: it fits wherever one is asked for. */
type Operand = ValueType | 'any'

export interface Control {
  readonly kind: 'function' | 'block' | 'loop' | 'if' | 'else'
  readonly params: readonly ValueType[]
  readonly results: readonly ValueType[]
  /** Operands below the block. */
  readonly height: number
  unreachable: boolean
}

/** More operands than any run could hold; the stack would take gigabytes of the validator itself. */
const operandsMax = 1_000_000

/**
 * Validates one function body by the rules of WebAssembly: the types of all operands, blocks, branches and locals. It
 * steps operator by operator, so that a rewriter can look at each one, and knows the highest operand stack.
 */
export class BodyValidator {
  readonly decoder: OperatorDecoder
  readonly controls: Control[]
  /** The highest operand stack after any operator, code that cannot be reached included. */
  heightMax = 0
  /** Number of locals, parameters included. */
  readonly localCount: number
  /**
   * Values that are there when a block begins, and that branches and calls move. V8 keeps or moves each of them while it compiles, so its
   * memory and time grow with this sum, which may be thousands of times the size of the code.
   */
  movedValues = 0
  readonly #module: Module
  readonly #reader: WasmReader
  readonly #groups: readonly LocalGroup[]
  readonly #declared: ReadonlySet<number>
  readonly #stack: Operand[] = []

  /** @param declared Functions a `ref.func` may name. */
  constructor(module: Module, type: number, reader: WasmReader, declared: ReadonlySet<number>) {
    const { params, results } = module.types[type]!
    this.#module = module
    this.#reader = reader
    this.#declared = declared
    this.#groups = readLocals(reader, params)
    this.localCount = this.#groups.at(-1)?.end ?? 0
    this.decoder = new OperatorDecoder(module, reader, this.localCount)
    this.controls = [{ kind: 'function', params: [], results, height: 0, unreachable: false }]
  }

  /** Number of operands on the stack. */
  get height(): number {
    return this.#stack.length
  }

  /** Whether the final `end` was stepped over. */
  get done(): boolean {
    return this.controls.length === 0
  }

  /** Reads the next operator into {@link decoder}; {@link apply} follows. */
  next(): void {
    this.decoder.read(this.controls.length)
  }

  /** The block a label names. */
  label(index: number): Control {
    return this.controls[this.controls.length - 1 - index]!
  }

  /** Applies the operator to the operand stack. @throws {@link WasmError} */
  apply(): void {
    const { pops, pushes } = this.decoder.operator
    if (pops === 'special' || pushes === 'special') this.#applySpecial()
    else {
      if (this.decoder.operator.immediates !== 'none') this.#checkReferences()
      this.#popAll(pops)
      this.#pushAll(pushes)
    }
    if (this.#stack.length > this.heightMax) this.heightMax = this.#stack.length
    if (this.done && !this.#reader.done) this.#fail('bytes follow the end of a function')
  }

  #applySpecial(): void {
    const { decoder } = this
    const { tables, types, functions, globals } = this.#module
    switch (decoder.operator.name) {
      case 'unreachable':
        return this.#setUnreachable()
      case 'block':
      case 'loop':
        this.#popAll(decoder.block.params)
        return this.#open(decoder.operator.name)
      case 'if':
        this.#pop('i32')
        this.#popAll(decoder.block.params)
        return this.#open('if')
      case 'else': {
        const { kind, params, results } = this.#close()
        if (kind !== 'if') this.#fail('an else is in no if')
        this.controls.push({ kind: 'else', params, results, height: this.#stack.length, unreachable: false })
        return this.#pushAll(params)
      }
      case 'end': {
        const { kind, params, results } = this.#close()
        if (kind === 'if' && !sameTypes(params, results))
          this.#fail('an if without else does not give what it takes')
        return this.#pushAll(results)
      }
      case 'br':
        this.#popAll(labelTypes(this.label(decoder.index)))
        return this.#setUnreachable()
      case 'br_if': {
        const values = labelTypes(this.label(decoder.index))
        this.movedValues += values.length
        this.#pop('i32')
        this.#popAll(values)
        return this.#pushAll(values)
      }
      case 'br_table':
        return this.#branchTable(decoder.labels)
      case 'return':
        this.#popAll(this.controls[0]!.results)
        return this.#setUnreachable()
      case 'call':
        return this.#call(functions[decoder.index]!)
      case 'call_indirect':
        this.#pop('i32')
        return this.#call(decoder.index)
      case 'return_call':
        return this.#tailCall(functions[decoder.index]!)
      case 'return_call_indirect':
        this.#pop('i32')
        return this.#tailCall(decoder.index)
      case 'drop':
        this.#pop('any')
        return
      case 'select': {
        this.#pop('i32')
        const second = this.#pop('any')
        const first = this.#pop('any')
        if (isReference(first) || isReference(second)) this.#fail('a select of references states their type')
        if (first !== second && first !== 'any' && second !== 'any')
          this.#fail('a select chooses between two types')
        return this.#push(first === 'any' ? second : first)
      }
      case 'select_t':
        this.#pop('i32')
        this.#pop(decoder.type)
        this.#pop(decoder.type)
        return this.#push(decoder.type)
      case 'local.get':
        return this.#push(this.localType(decoder.index))
      case 'local.set':
        this.#pop(this.localType(decoder.index))
        return
      case 'local.tee': {
        const type = this.localType(decoder.index)
        this.#pop(type)
        return this.#push(type)
      }
      case 'global.get':
        return this.#push(globals[decoder.index]!.type)
      case 'global.set':
        if (!globals[decoder.index]!.mutable) this.#fail('a constant global is set')
        this.#pop(globals[decoder.index]!.type)
        return
      case 'table.get':
        this.#pop('i32')
        return this.#push(tables[decoder.index]!.type)
      case 'table.set':
        this.#pop(tables[decoder.index]!.type)
        this.#pop('i32')
        return
      case 'table.grow':
        this.#pop('i32')
        this.#pop(tables[decoder.index]!.type)
        return this.#push('i32')
      case 'table.fill':
        this.#pop('i32')
        this.#pop(tables[decoder.index]!.type)
        this.#pop('i32')
        return
      case 'ref.null':
        return this.#push(decoder.type)
      case 'ref.is_null': {
        const reference = this.#pop('any')
        if (reference !== 'any' && !isReference(reference)) this.#fail('ref.is_null takes a reference')
        return this.#push('i32')
      }
      default:
        throw new Error(`the validator does not know ${decoder.operator.name}; types ${types.length}`)
    }
  }

  /** Checks the functions, tables and segments that an operator with fixed operand types names. */
  #checkReferences(): void {
    const { operator, index, second } = this.decoder
    const { tables, elements } = this.#module
    if (operator.name === 'ref.func' && !this.#declared.has(index))
      this.#fail(`function ${index} is referred to, but named nowhere outside bodies`)
    if (operator.name === 'table.init' && elements[index]!.type !== tables[second]!.type)
      this.#fail('a table is filled from a segment of another type')
    if (operator.name === 'table.copy' && tables[index]!.type !== tables[second]!.type)
      this.#fail('a table is copied to one of another type')
  }

  #branchTable(labels: readonly number[]): void {
    this.#pop('i32')
    const { length: arity } = labelTypes(this.label(labels.at(-1)!))
    // Labels of one type are checked once: a table may have millions.
    const checked = new Set<readonly ValueType[]>()
    for (const label of labels) {
      const values = labelTypes(this.label(label))
      if (values.length !== arity)
        this.#fail('a branch table leads to blocks that take unlike numbers of values')
      this.movedValues += arity
      if (checked.has(values)) continue
      checked.add(values)
      const popped = values.map((_, index) => this.#pop(values[values.length - 1 - index]!))
      for (const operand of popped.reverse()) this.#push(operand)
    }
    this.#setUnreachable()
  }

  #call(type: number): void {
    const { params, results } = this.#module.types[type]!
    this.movedValues += params.length + results.length
    this.#popAll(params)
    this.#pushAll(results)
  }

  #tailCall(type: number): void {
    const { params, results } = this.#module.types[type]!
    if (!sameTypes(results, this.controls[0]!.results))
      this.#fail('a tail call gives something else than its caller')
    this.#popAll(params)
    this.#setUnreachable()
  }

  #open(kind: 'block' | 'loop' | 'if'): void {
    const { params, results } = this.decoder.block
    this.movedValues += this.localCount + this.#stack.length + params.length + results.length
    this.controls.push({ kind, params, results, height: this.#stack.length, unreachable: false })
    this.#pushAll(params)
  }

  #close(): Control {
    const control = this.controls.at(-1)!
    this.#popAll(control.results)
    if (this.#stack.length !== control.height) this.#fail('a block leaves more values than it states')
    this.controls.pop()
    return control
  }

  #setUnreachable(): void {
    const control = this.controls.at(-1)!
    this.#stack.length = control.height
    control.unreachable = true
  }

  #push(operand: Operand): void {
    this.#stack.push(operand)
    if (this.#stack.length > operandsMax) this.#fail(`a function holds more than ${operandsMax} operands`)
  }

  #pushAll(operands: readonly Operand[]): void {
    for (let index = 0; index < operands.length; index++) this.#push(operands[index]!)
  }

  #pop(expected: Operand): Operand {
    const control = this.controls.at(-1)!
    if (this.#stack.length === control.height) {
      if (control.unreachable) return 'any'
      this.#fail(`${this.decoder.operator.name} takes more operands than there are`)
    }
    const found = this.#stack.pop()!
    if (found !== expected && found !== 'any' && expected !== 'any')
      this.#fail(`${this.decoder.operator.name} takes ${expected}, not ${found}`)
    return found
  }

  #popAll(expected: readonly Operand[]): void {
    for (let index = expected.length - 1; index >= 0; index--) this.#pop(expected[index]!)
  }

  localType(index: number): ValueType {
    return localTypeOf(this.#groups, index)
  }

  #fail(message: string): never {
    return this.#reader.fail(message)
  }
}

const labelTypes = ({ kind, params, results }: Control): readonly ValueType[] =>
  kind === 'loop' ? params : results

const isReference = (type: Operand): boolean => type === 'funcref' || type === 'externref'

const sameTypes = (a: readonly ValueType[], b: readonly ValueType[]): boolean =>
  a === b || (a.length === b.length && a.every((type, index) => type === b[index]))

/** Functions named outside bodies: in exports, element segments and initialisers of globals. */
export function declaredFunctions(module: Module): Set<number> {
  const declared = new Set(module.declaredReferences)
  for (const { kind, index } of module.exports) if (kind === 'function') declared.add(index)
  for (const { functions } of module.elements) for (const index of functions) declared.add(index)
  return declared
}

/** Validates every body of a module. The bodies can be read again. @throws {@link WasmError} */
export function validateBodies(module: Module): void {
  const declared = declaredFunctions(module)
  for (const [index, reader] of module.bodies.entries()) {
    const start = reader.at
    const type = module.functions[module.importedFunctions + index]!
    const validator = new BodyValidator(module, type, reader, declared)
    while (!validator.done) {
      validator.next()
      validator.apply()
    }
    reader.at = start
  }
}
