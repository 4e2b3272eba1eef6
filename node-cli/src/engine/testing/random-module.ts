import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import { type Operator, operators } from '../../../../protocol/wasm/operators.ts'
import { type NumberType, numberTypes, Random, randomConstant } from './random.ts'
import { type FunctionContext, randomBlock, tableStatement } from './random-blocks.ts'
import { hostCall, hostData, hostFunctions, hostImports } from './random-host.ts'

/** Operators with fixed operands by the type of their result, in text form. */
const byResult = new Map<NumberType, Operator[]>(
  numberTypes.map((type) => [
    type,
    operators.filter(
      ({ pops, pushes, immediates }) =>
        pops !== 'special' &&
        pushes !== 'special' &&
        pushes.length === 1 &&
        pushes[0] === type &&
        pops.every(isNumber) &&
        immediates !== 'table',
    ),
  ]),
)
const stores = operators.filter(({ accessBytes, pushes }) => accessBytes > 0 && pushes.length === 0)

function isNumber(type: ValueType): type is NumberType {
  return (numberTypes as readonly ValueType[]).includes(type)
}

interface Signature {
  params: NumberType[]
  results: NumberType[]
}

/**
 * Writes a valid module as text, the same one for the same seed: calls of every kind, loops, branches, traps, memory and
 * tables, and every operator of fixed operands. Its entry answers a hash of its memory, so that any difference shows.
 */
export function randomModule(seed: number): string {
  return new Generator(new Random(seed)).module()
}

class Generator {
  readonly #random: Random
  readonly #signatures: Signature[] = []
  #locals: NumberType[] = []
  #labels: (readonly NumberType[])[] = []
  #current!: Signature
  #budget = 0
  /** Whether the host is called. */
  readonly #hosted: boolean
  #context!: FunctionContext

  constructor(random: Random) {
    this.#random = random
    this.#hosted = random.chance(50)
  }

  module(): string {
    const random = this.#random
    const count = 2 + random.below(4)
    for (let index = 0; index < count; index++) this.#signatures.push(this.#signature())
    this.#context = {
      random,
      functions: this.#signatures.map((_, index) => `$f${index}`),
      expression: (type, depth) => this.#expression(type, depth),
      nested: (label, depth) => this.#nested(label, depth),
    }
    const functions = this.#signatures.map((signature, index) => this.#function(signature, index))
    const maximum = random.chance(50) ? String(1 + random.below(3)) : ''
    const names = this.#signatures.map((_, index) => `$f${index}`).join(' ')
    const [first] = this.#signatures as [Signature]
    const callFirst = `(call $f0 ${first.params.map((type) => randomConstant(type, random)).join(' ')})
      ${first.results.map(() => '(drop)').join(' ')}`
    // A function of the host in a table is called from there like any other.
    const inTable = this.#hosted && random.chance(20) ? ' $hash' : ''
    return `(module ${this.#hosted ? hostImports : ''}
  (memory (export "memory") 1 ${maximum})
  (table $t ${count + 2} ${count + 3} funcref)
  (table $u 6 ${random.chance(50) ? 12 : ''} funcref)
  (table $x 2 ${random.chance(50) ? 4 : ''} externref)
  (elem (table $t) (i32.const 0) func ${names}${inTable})
  (elem $passive func ${names})
  (elem $other funcref (ref.null func) (ref.func $f0))
  (elem (table $u) (i32.const 1) funcref (ref.func $f0) (ref.null func) (ref.func $f1))
  (elem declare func ${names})
  (data $d "some passive data to copy") (data $e "more")
  ${this.#hosted ? hostData + hostFunctions : ''}
  (global $gv (mut v128) (v128.const i32x4 1 2 3 0x7fc00001))
  (global $gi (mut i32) (i32.const 7)) (global $gl (mut i64) (i64.const -9))
  (global $gf (mut f32) (f32.const 1.5)) (global $gd (mut f64) (f64.const -2.5))
  ${this.#signatures.map((one, index) => `(type $s${index} (func ${shape(one)}))`).join('\n  ')}
  ${functions.join('\n  ')}
  ${random.chance(30) ? '(func $start (global.set $gi (i32.const 11)))\n  (start $start)' : ''}
  (func (export "__alloc") (param i32) (result i32) ${random.chance(15) ? callFirst : ''} (i32.const 1024))
  (func (export "__hive_entry") (param i32 i32 i32) (result i64)
    (local $i i32) (local $h i64)
    ${callFirst}
    ${inTable ? `(global.set $gl (call_indirect $t (type $two) (i32.const 0) (i32.const 8) (i32.const ${count})))` : ''}
    (v128.store (i32.const 264) (global.get $gv))
    (i32.store (i32.const 280) (table.size $u))
    (i64.store (i32.const 312) (i64.extend_i32_u (global.get $gi)))
    (i64.store (i32.const 304) (global.get $gl))
    (f32.store (i32.const 300) (global.get $gf)) (f64.store (i32.const 288) (global.get $gd))
    (loop $hash
      (local.set $h (i64.add (i64.rotl (local.get $h) (i64.const 7)) (i64.load (local.get $i))))
      (local.set $i (i32.add (local.get $i) (i32.const 8)))
      (br_if $hash (i32.lt_u (local.get $i) (i32.const 320))))
    (local.set $i (i32.const 0))
    (loop $hex
      (i32.store8 offset=2048 (local.get $i)
        (i32.add (i32.const 97) (i32.wrap_i64 (i64.and (local.get $h) (i64.const 15)))))
      (local.set $h (i64.shr_u (local.get $h) (i64.const 4)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $hex (i32.lt_u (local.get $i) (i32.const 16))))
    (i64.const ${(2048n << 32n) | 16n})))`
  }

  #signature(): Signature {
    const some = (max: number) =>
      Array.from({ length: this.#random.below(max) }, () => this.#random.pick(numberTypes))
    return { params: some(3), results: some(3) }
  }

  #function(signature: Signature, index: number): string {
    // Now and then so many that recursion ends at the stack limit soon.
    const length = this.#random.chance(2) ? 2000 : 2 + this.#random.below(4)
    const locals = Array.from({ length }, () => this.#random.pick(numberTypes))
    this.#current = signature
    this.#locals = [...signature.params, ...locals]
    this.#labels = [signature.results]
    this.#budget = 60
    const statements = Array.from({ length: 1 + this.#random.below(5) }, () => this.#statement(3))
    const counter = this.#locals.length
    return `(func $f${index} (type $s${index}) (local ${[...locals, 'i32'].join(' ')})
    (local $ref funcref) (local $ext externref)
    ${statements.join('\n    ').replaceAll('$counter', String(counter))}
    ${signature.results.map((type) => this.#expression(type, 3)).join('\n    ')})`
  }

  #statement(depth: number): string {
    const random = this.#random
    this.#budget -= 1
    if (depth === 0 || this.#budget < 0) return '(nop)'
    switch (random.below(23)) {
      case 0:
      case 1:
        return this.#store()
      case 2:
      case 3: {
        const index = random.below(this.#locals.length)
        return `(local.set ${index} ${this.#expression(this.#locals[index]!, depth)})`
      }
      case 4:
        return `(if ${this.#expression('i32', 2)} (then ${this.#nested([], depth)}) (else ${this.#nested([], depth)}))`
      case 5:
        return `(if ${this.#expression('i32', 2)} (then ${this.#nested([], depth)}))`
      case 6:
        return `(block ${this.#nested([], depth)})`
      case 7:
        // Bounded by a counter of the function, so that most runs end.
        return `(loop ${this.#nested('loop', depth)} (local.set $counter (i32.add (local.get $counter) (i32.const 1))) (br_if 0 (i32.lt_u (local.get $counter) (i32.const ${5 + random.below(20)}))))`
      case 8:
        return this.#branch()
      case 9: {
        const callee = random.below(this.#signatures.length)
        const { params, results } = this.#signatures[callee]!
        const passed = params.map((type) => this.#expression(type, 1)).join(' ')
        const how = random.chance(70)
          ? `(call $f${callee} ${passed})`
          : `(call_indirect ${random.chance(80) ? '$t' : '$u'} (type $s${callee}) ${passed} (i32.const ${random.chance(85) ? callee : random.below(9)}))`
        return `${how} ${results.map(() => '(drop)').join(' ')}`
      }
      case 10:
        return random.chance(15) ? '(unreachable)' : `(global.set $gi ${this.#expression('i32', 2)})`
      case 11:
        return `(global.set $gf ${this.#expression('f32', depth)})`
      case 12:
        return `(memory.fill (i32.const ${random.below(200)}) ${this.#expression('i32', 1)} (i32.const ${random.below(100)}))`
      case 13:
        return `(memory.init $d (i32.const ${random.below(200)}) (i32.const ${random.below(20)}) (i32.const ${random.below(8)}))`
      case 14:
        return `(table.copy $t $t (i32.const 0) (i32.const ${random.below(2)}) (i32.const 1))`
      case 15:
        return `(drop (memory.grow (i32.const ${random.below(3)})))`
      case 16:
        return this.#tail()
      case 17:
      case 18:
        return tableStatement(this.#context)
      case 19:
      case 20:
        return randomBlock(this.#context, depth)
      default:
        return this.#hosted ? hostCall(random) : this.#store()
    }
  }

  #nested(label: readonly NumberType[] | 'loop', depth: number): string {
    this.#labels.push(label === 'loop' ? [] : label)
    const text = Array.from({ length: 1 + this.#random.below(2) }, () => this.#statement(depth - 1)).join(' ')
    this.#labels.pop()
    return text
  }

  /** Leaves the function by a return or a tail call, where one fits; only now and then, or nothing else would run. */
  #tail(): string {
    const random = this.#random
    if (!random.chance(25)) return '(nop)'
    const { results } = this.#current
    const fitting = this.#signatures.flatMap((one, index) =>
      one.results.join() === results.join() ? [index] : [],
    )
    const callee = fitting.length > 0 && random.chance(60) ? random.pick(fitting) : undefined
    const guard = this.#expression('i32', 1)
    if (callee === undefined)
      return `(if ${guard} (then (return ${results.map((type) => this.#expression(type, 1)).join(' ')})))`
    const passed = this.#signatures[callee]!.params.map((type) => this.#expression(type, 1)).join(' ')
    if (random.chance(70)) return `(if ${guard} (then (return_call $f${callee} ${passed})))`
    const index = random.chance(85) ? callee : random.below(9)
    return `(if ${guard} (then (return_call_indirect $t (type $s${callee}) ${passed} (i32.const ${index}))))`
  }

  #branch(): string {
    const random = this.#random
    const open = this.#labels.flatMap((values, index) =>
      values.length === 0 ? [this.#labels.length - 1 - index] : [],
    )
    if (open.length === 0) return '(nop)'
    if (random.chance(70)) return `(br_if ${random.pick(open)} ${this.#expression('i32', 1)})`
    return `(br_table ${Array.from({ length: 1 + random.below(3) }, () => random.pick(open)).join(' ')} ${this.#expression('i32', 1)})`
  }

  #store(): string {
    const operator = this.#random.pick(stores)
    const [, value] = operator.pops as NumberType[]
    return `(${operator.name} ${this.#memory(operator)} ${this.#address()} ${this.#expression(value!, 2)})`
  }

  #memory({ immediates, lanes }: Operator): string {
    const random = this.#random
    const offset = random.chance(3) ? random.pick([65_536, 4_294_967_295, 131_072, 65_529]) : random.below(64)
    const lane = immediates === 'memarg-lane' ? ` ${random.below(lanes)}` : ''
    return `offset=${offset}${lane}`
  }

  #address(): string {
    return this.#random.chance(90)
      ? `(i32.and ${this.#expression('i32', 1)} (i32.const 255))`
      : this.#expression('i32', 1)
  }

  #expression(type: NumberType, depth: number): string {
    const random = this.#random
    this.#budget -= 1
    if (depth === 0 || this.#budget < 0) return this.#leaf(type)
    switch (random.below(8)) {
      case 0:
        return this.#leaf(type)
      case 1: {
        const own = this.#locals.flatMap((one, index) => (one === type ? [index] : []))
        return own.length > 0
          ? `(local.tee ${random.pick(own)} ${this.#expression(type, depth - 1)})`
          : this.#leaf(type)
      }
      case 2:
        return `(if (result ${type}) ${this.#expression('i32', depth - 1)} (then ${this.#expression(type, depth - 1)}) (else ${this.#expression(type, depth - 1)}))`
      case 3:
        return type === 'v128'
          ? `(select (result v128) ${this.#expression(type, depth - 1)} ${this.#expression(type, depth - 1)} ${this.#expression('i32', depth - 1)})`
          : `(select ${this.#expression(type, depth - 1)} ${this.#expression(type, depth - 1)} ${this.#expression('i32', depth - 1)})`
      default:
        return this.#operation(random.pick(byResult.get(type)!), depth)
    }
  }

  #operation(operator: Operator, depth: number): string {
    const { name, pops, immediates, lanes, accessBytes } = operator
    const operands = pops as NumberType[]
    const random = this.#random
    if (immediates.endsWith('const') || ['i32', 'i64', 'f32', 'f64', 'v128'].includes(immediates))
      return this.#leaf(name.slice(0, name.indexOf('.')) as NumberType)
    if (immediates === 'memory')
      return name === 'memory.size' ? '(memory.size)' : '(memory.grow (i32.const 1))'
    if (accessBytes > 0) {
      const rest = operands.slice(1).map((type) => this.#expression(type, depth - 1))
      return `(${name} ${this.#memory(operator)} ${this.#address()} ${rest.join(' ')})`
    }
    const shown =
      immediates === 'lane'
        ? String(random.below(lanes))
        : immediates === 'shuffle'
          ? Array.from({ length: 16 }, () => random.below(32)).join(' ')
          : ''
    return `(${name} ${shown} ${operands.map((type) => this.#expression(type, depth - 1)).join(' ')})`
  }

  #leaf(type: NumberType): string {
    const own = this.#locals.flatMap((one, index) => (one === type ? [index] : []))
    return own.length > 0 && this.#random.chance(60)
      ? `(local.get ${this.#random.pick(own)})`
      : randomConstant(type, this.#random)
  }
}

const shape = ({ params, results }: Signature): string =>
  `(param ${params.join(' ')}) (result ${results.join(' ')})`
