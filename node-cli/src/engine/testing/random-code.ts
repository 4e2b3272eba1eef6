import type { FunctionType } from '../../../../protocol/wasm/module.ts'
import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import { type Operator, operators } from '../../../../protocol/wasm/operators.ts'
import { type NumberType, Random, randomConstant } from './random.ts'

/** A type on the operand stack; `any` in code that cannot be reached, where the stack may hold nothing. */
type Operand = ValueType | 'any'

interface Block {
  readonly kind: 'function' | 'block' | 'loop' | 'if' | 'else'
  readonly type: FunctionType
  readonly height: number
  unreachable: boolean
}

/** An instruction that takes and gives the same types wherever it stands. */
interface Fixed {
  readonly pops: readonly ValueType[]
  readonly pushes: readonly ValueType[]
  readonly text: (random: Random) => string
}

const valueTypes: readonly ValueType[] = ['i32', 'i64', 'f32', 'f64', 'v128', 'funcref', 'externref']
const list = (types: string): ValueType[] => types.split(' ').filter(Boolean) as ValueType[]
const signature = (params: string, results: string): FunctionType => ({
  params: list(params),
  results: list(results),
})

/** Types of functions and of blocks: `$s0` and so on. Each but the last, which is the host's, has a function `$f0`… */
const signatures: readonly FunctionType[] = [
  signature('', ''),
  signature('i32', 'i32'),
  signature('i32 f64', 'f32 i64'),
  signature('', 'v128 i32 i64'),
  signature('funcref', 'externref'),
  signature('i64 i64 i64', 'i64'),
  signature('f32', 'f32'),
  signature('i32 i32', 'i64'),
]
const host = signatures.length - 1

function immediatesOf({ immediates, accessBytes, lanes }: Operator, random: Random): string {
  const lane = (count: number): string => ` ${random.below(count)}`
  const access = (): string => {
    const alignment = 2 ** random.below(Math.log2(accessBytes) + 1)
    const edges = [65_535, 65_536, 131_072 - accessBytes, 131_073 - accessBytes, 0xffffffff]
    return ` offset=${random.chance(85) ? random.below(64) : random.pick(edges)} align=${alignment}`
  }
  switch (immediates) {
    case 'memarg':
      return access()
    case 'memarg-lane':
      return access() + lane(lanes)
    case 'lane':
      return lane(lanes)
    case 'shuffle':
      return Array.from({ length: 16 }, () => lane(32)).join('')
    default:
      return ''
  }
}

const plain = new Set(['none', 'memarg', 'memarg-lane', 'lane', 'shuffle', 'memory', 'memory-memory'])
const byTable = (table: string, type: string): readonly (readonly [string, string, string])[] => [
  [`table.get ${table}`, 'i32', type],
  [`table.set ${table}`, `i32 ${type}`, ''],
  [`table.grow ${table}`, `${type} i32`, 'i32'],
  [`table.size ${table}`, '', 'i32'],
  [`table.fill ${table}`, `i32 ${type} i32`, ''],
  [`table.copy ${table} ${table}`, 'i32 i32 i32', ''],
  ['ref.is_null', type, 'i32'],
]
const fixed: readonly Fixed[] = [
  ...operators.flatMap((operator): Fixed[] => {
    const { name, pops, pushes, immediates } = operator
    if (pops === 'special' || pushes === 'special' || !plain.has(immediates)) return []
    return [{ pops, pushes, text: (random) => name + immediatesOf(operator, random) }]
  }),
  ...[
    ...byTable('$a', 'funcref'),
    ...byTable('$x', 'externref'),
    ['memory.init $d', 'i32 i32 i32', ''] as const,
    ['data.drop $d', '', ''] as const,
    ['table.init $a $p', 'i32 i32 i32', ''] as const,
    ['table.init $x $q', 'i32 i32 i32', ''] as const,
    ['elem.drop $p', '', ''] as const,
  ].map(([text, pops, pushes]): Fixed => ({ pops: list(pops), pushes: list(pushes), text: () => text })),
]

/** Writes one body, operator by operator, so that it is valid: it follows the types on the operand stack. */
class Body {
  readonly #random: Random
  readonly #code: string[] = []
  readonly #stack: Operand[] = []
  readonly #blocks: Block[]
  readonly #locals: readonly ValueType[]
  readonly #declared: readonly ValueType[]

  constructor(random: Random, type: FunctionType) {
    this.#random = random
    this.#declared = Array.from({ length: random.below(8) }, () => random.pick(valueTypes))
    this.#locals = [...type.params, ...this.#declared]
    this.#blocks = [{ kind: 'function', type, height: 0, unreachable: false }]
  }

  write(): string {
    for (let rest = 20 + this.#random.below(60); rest > 0; rest--) this.#step()
    while (this.#blocks.length > 0) this.#close()
    // The text form ends a function with its parenthesis.
    this.#code.pop()
    return `(local ${this.#declared.join(' ')}) ${this.#code.join(' ')}`
  }

  get #block(): Block {
    return this.#blocks.at(-1)!
  }

  #emit(text: string, pops: readonly Operand[], pushes: readonly Operand[]): void {
    this.#code.push(text)
    for (let count = pops.length; count > 0; count--)
      if (this.#stack.length > this.#block.height) this.#stack.pop()
    this.#stack.push(...pushes)
  }

  #fits(types: readonly Operand[]): boolean {
    const { height, unreachable } = this.#block
    return types.every((type, index) => {
      const at = this.#stack.length - types.length + index
      if (at < height) return unreachable
      const found = this.#stack[at]
      return found === type || found === 'any' || type === 'any'
    })
  }

  /** Sees to it that operands of some types are on top. */
  #give(types: readonly ValueType[]): void {
    if (!this.#fits(types)) for (const type of types) this.#value(type)
  }

  #value(type: ValueType): void {
    const random = this.#random
    const locals = [...this.#locals.keys()].filter((local) => this.#locals[local] === type)
    if (locals.length > 0 && random.chance(50))
      return this.#emit(`local.get ${random.pick(locals)}`, [], [type])
    if (random.chance(20)) return this.#emit(`global.get $${type}`, [], [type])
    this.#emit(this.#constant(type), [], [type])
  }

  #constant(type: ValueType): string {
    const random = this.#random
    if (type === 'funcref')
      return random.chance(30) ? 'ref.null func' : `ref.func $f${random.below(signatures.length - 1)}`
    if (type === 'externref') return 'ref.null extern'
    // Most numbers that say where are to be within bounds.
    if (type === 'i32' && random.chance(75)) return `i32.const ${random.below(5)}`
    return randomConstant(type as NumberType, random).slice(1, -1)
  }

  #leave(): void {
    this.#stack.length = this.#block.height
    this.#block.unreachable = true
  }

  #step(): void {
    const random = this.#random
    const kind = random.below(100)
    if (kind < 14) return this.#value(random.pick(valueTypes))
    if (kind < 24) return this.#assign()
    if (kind < 36) return this.#open()
    if (kind < 44) return this.#branch()
    if (kind < 52) return this.#call()
    if (kind < 56) return this.#select()
    if (kind < 60) return this.#simple()
    if (kind < 66 && this.#blocks.length > 1) return this.#close()
    const candidates = [random, random, random, random].map((one) => one.pick(fixed))
    const { pops, pushes, text } = candidates.find((one) => this.#fits(one.pops)) ?? candidates[0]!
    this.#give(pops)
    this.#emit(text(random), pops, pushes)
  }

  #assign(): void {
    const random = this.#random
    const type = random.pick(valueTypes)
    const local = this.#locals.indexOf(type)
    this.#give([type])
    if (local < 0) return this.#emit(`global.set $${type}`, [type], [])
    if (random.chance(50)) this.#emit(`local.tee ${local}`, [type], [type])
    else this.#emit(`local.set ${local}`, [type], [])
  }

  #open(): void {
    const random = this.#random
    const kind = random.pick(['block', 'loop', 'if'] as const)
    let index = random.below(signatures.length)
    if (kind === 'if') this.#give(['i32'])
    const condition: ValueType[] = kind === 'if' ? ['i32'] : []
    if (!this.#fits([...signatures[index]!.params, ...condition])) index = 0
    const type = random.chance(30) ? signature('', random.pick(valueTypes)) : signatures[index]!
    const named = type === signatures[index] ? `(type $s${index})` : `(result ${type.results.join()})`
    this.#emit(`${kind} ${named}`, [...type.params, ...condition], [])
    this.#blocks.push({ kind, type, height: this.#stack.length, unreachable: false })
    this.#stack.push(...type.params)
  }

  #label(depth: number): readonly ValueType[] {
    const { kind, type } = this.#blocks.at(-1 - depth)!
    return kind === 'loop' ? type.params : type.results
  }

  #branch(): void {
    const random = this.#random
    const depth = random.below(this.#blocks.length)
    const values = this.#label(depth)
    const kind = random.below(10)
    if (kind < 2) {
      this.#give(values)
      this.#emit(`br ${depth}`, values, [])
      return this.#leave()
    }
    if (!this.#fits([...values, 'i32'])) for (const type of [...values, 'i32' as const]) this.#value(type)
    if (kind < 7) return this.#emit(`br_if ${depth}`, [...values, 'i32'], values)
    // In code that cannot be reached, one table may lead to blocks that take values of other types.
    const depths = [...this.#blocks.keys()].filter((other) => {
      const others = this.#label(other)
      return others.length === values.length && this.#fits([...others, 'i32'])
    })
    const labels = Array.from({ length: 1 + random.below(5) }, () => random.pick(depths))
    this.#emit(`br_table ${labels.join(' ')}`, [...values, 'i32'], [])
    this.#leave()
  }

  #call(): void {
    const random = this.#random
    const index = random.below(signatures.length)
    const { params, results } = signatures[index]!
    const indirect = random.chance(40)
    this.#give(params)
    // The table has a function of each signature at its index.
    if (indirect) this.#emit(`i32.const ${random.chance(80) ? index : random.below(10)}`, [], ['i32'])
    const tail = random.chance(30) && results.join() === this.#blocks[0]!.type.results.join()
    const name = `${tail ? 'return_call' : 'call'}${indirect ? `_indirect $a (type $s${index})` : ''}`
    const target = index === host ? '$hash' : `$f${index}`
    this.#emit(indirect ? name : `${name} ${target}`, indirect ? [...params, 'i32'] : params, results)
    if (tail) this.#leave()
  }

  #select(): void {
    const { height, unreachable } = this.#block
    const type = this.#random.pick(valueTypes)
    if (type === 'funcref' || type === 'externref' || !unreachable) {
      this.#give([type, type, 'i32'])
      const untyped = type !== 'funcref' && type !== 'externref' && this.#random.chance(50)
      return this.#emit(untyped ? 'select' : `select (result ${type})`, [type, type, 'i32'], [type])
    }
    // An untyped `select` takes its type from the operands that are there; they may have none.
    const there = [2, 3].map((below): Operand => {
      const at = this.#stack.length - below
      return at < height ? 'any' : this.#stack[at]!
    })
    const known = there.filter((operand) => operand !== 'any')
    const odd = known.some((operand) => operand !== known[0] || /ref$/.test(operand))
    if (odd || !this.#fits(['any', 'any', 'i32'])) return
    this.#emit('select', ['any', 'any', 'i32'], [known[0] ?? 'any'])
  }

  #simple(): void {
    const random = this.#random
    if (random.chance(50)) return this.#fits(['any']) ? this.#emit('drop', ['any'], []) : undefined
    if (random.chance(60)) return this.#emit('nop', [], [])
    if (random.chance(50)) this.#emit('unreachable', [], [])
    else {
      const { results } = this.#blocks[0]!.type
      this.#give(results)
      this.#emit('return', results, [])
    }
    this.#leave()
  }

  /** Ends the innermost block, or goes on to its else. */
  #close(): void {
    const { kind, type, height, unreachable } = this.#block
    const { results, params } = type
    const there = this.#stack.length - height
    const right = this.#fits(results) && (unreachable ? there <= results.length : there === results.length)
    if (!right) {
      while (this.#stack.length > height) this.#emit('drop', ['any'], [])
      this.#give(results)
    }
    this.#stack.length = height
    this.#blocks.pop()
    if (kind === 'if' && (params.join() !== results.join() || this.#random.chance(50))) {
      this.#code.push('else')
      this.#blocks.push({ kind: 'else', type, height, unreachable: false })
      this.#stack.push(...params)
      return
    }
    this.#code.push('end')
    this.#stack.push(...results)
  }
}

/** Address of the answer's digits; the memory below it, which the functions change, is hashed. */
const digits = 2048

/**
 * Writes a valid module as text, the same one for the same seed: code as no compiler writes it. Operands come from far,
 * blocks take them, and much of it cannot be reached, where everything fits. Its entry answers a hash of its memory.
 */
export function randomCode(seed: number): string {
  const random = new Random(seed)
  const own = signatures.slice(0, host)
  const functions = own.map(
    (type, index) => `(func $f${index} (type $s${index}) ${new Body(random, type).write()})`,
  )
  const types = signatures.map(
    ({ params, results }, index) =>
      `(type $s${index} (func (param ${params.join(' ')}) (result ${results.join(' ')})))`,
  )
  const names = own.map((_, index) => `$f${index}`).join(' ')
  return `(module ${types.join(' ')}
  (import "crypto" "hash" (func $hash (type $s${host})))
  (memory (export "memory") 1 ${random.chance(50) ? 2 : ''})
  (table $a 8 12 funcref) (table $x 4 6 externref)
  (elem (table $a) (i32.const 0) func ${names} $hash)
  (elem $p func ${names}) (elem $q externref (ref.null extern) (ref.null extern))
  (data (i32.const 16) "abcdefgh") (data $d "passive data")
  (global $i32 (mut i32) (i32.const 3)) (global $i64 (mut i64) (i64.const -5))
  (global $f32 (mut f32) (f32.const nan:0x200001)) (global $f64 (mut f64) (f64.const -nan:0x4000000000001))
  (global $v128 (mut v128) (v128.const i32x4 1 2 0x7fa00001 -1))
  (global $funcref (mut funcref) (ref.null func)) (global $externref (mut externref) (ref.null extern))
  ${functions.join('\n  ')}
  (func (export "__alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "__hive_entry") (param i32 i32 i32) (result i64) (local $hash i64) (local $at i32)
    call $f0
    (i32.store (i32.const 100) (call $f1 (i32.const 7)))
    (call $f2 (i32.const 5) (f64.const 2.5)) (global.set $i64) (global.set $f32)
    (i64.store (i32.const 104) (global.get $i64)) (f32.store (i32.const 112) (global.get $f32))
    call $f3 (global.set $i64) (global.set $i32) (global.set $v128)
    (i32.store (i32.const 116) (ref.is_null (call $f4 (ref.func $f1))))
    (i64.store (i32.const 120) (call $f5 (i64.const 1) (i64.const -1) (i64.const 9)))
    (f32.store (i32.const 128) (call $f6 (f32.const 1.25)))
    (v128.store (i32.const 144) (global.get $v128)) (i64.store (i32.const 160) (global.get $i64))
    (i32.store (i32.const 168) (global.get $i32)) (f64.store (i32.const 176) (global.get $f64))
    (i32.store (i32.const 184) (table.size $a)) (i32.store (i32.const 188) (memory.size))
    (loop $bytes
      (local.set $hash (i64.add (i64.rotl (local.get $hash) (i64.const 7)) (i64.load (local.get $at))))
      (br_if $bytes (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (i32.const ${digits}))))
    (local.set $at (i32.const 0))
    (loop $hex
      (i32.store8 offset=${digits} (local.get $at)
        (i32.add (i32.const 97) (i32.wrap_i64 (i64.and (local.get $hash) (i64.const 15)))))
      (local.set $hash (i64.shr_u (local.get $hash) (i64.const 4)))
      (br_if $hex (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 16))))
    (i64.const ${(BigInt(digits) << 32n) | 16n})))`
}
