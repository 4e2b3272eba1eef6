import { type NumberType, numberTypes, type Random } from './random.ts'

/** The function for which parts of a random module are written. */
export interface FunctionContext {
  readonly random: Random
  /** Names of the functions that a reference may be to. */
  readonly functions: readonly string[]
  readonly expression: (type: NumberType, depth: number) => string
  /** Statements in a block whose label takes values of some types. */
  readonly nested: (label: readonly NumberType[], depth: number) => string
}

/** Operators as they may stand where nothing on the stack is real. */
const dead = `i32.add drop, f64.neg drop, select drop, i64.load drop, i32.store8, br_if 0 unreachable,
  br_table 0 0, v128.any_true drop, i8x16.extract_lane_s 3 drop, ref.is_null drop,
  if nop else nop end, if (result i32) i32.const 1 else i32.const 2 end drop,
  block i32.const 1 drop end, loop br 0 end, memory.copy, memory.grow drop, table.get $u drop,
  table.fill $u, call $f0 unreachable, unreachable, f32.add i32.trunc_sat_f32_s drop`.split(/,\s+/)

/** A block with values going in, coming out, or carried by a branch; or with code that cannot be reached. */
export function randomBlock({ random, expression, nested }: FunctionContext, depth: number): string {
  const type = random.pick(numberTypes)
  const value = () => expression(type, depth - 1)
  const condition = () => expression('i32', 1)
  switch (random.below(6)) {
    case 0: {
      const second = random.pick(numberTypes)
      return `(block (result ${type} ${second}) ${value()} ${expression(second, 1)} (br_if 0 ${condition()})) (drop) (drop)`
    }
    case 1:
      return `block (result ${type}) block (result ${type}) ${value()} ${condition()} br_table 0 1 0 end end drop`
    case 2:
      return `${value()} ${condition()} if (param ${type}) (result ${type}) ${nested([type], depth)} else drop ${value()} end drop`
    case 3:
      return `${value()} loop (param ${type}) (result ${type}) ${nested([type], depth)}
        (local.set $counter (i32.add (local.get $counter) (i32.const 1)))
        (br_if 0 (i32.lt_u (local.get $counter) (i32.const ${5 + random.below(10)}))) end drop`
    case 4:
      return `(block (result ${type}) (br 0 ${value()}) ${random.pick(dead)} ${random.pick(dead)}) (drop)`
    default:
      return `(block (br 0) ${nested([], depth)} ${random.pick(dead)} ${random.pick(dead)})`
  }
}

/** A statement on tables, references, segments or bulk memory. */
export function tableStatement({ random, functions, expression }: FunctionContext): string {
  const index = () =>
    random.chance(80) ? `(i32.const ${random.below(8)})` : `(i32.and ${expression('i32', 1)} (i32.const 15))`
  const few = () => `(i32.const ${random.below(4)})`
  const reference = (depth: number): string => {
    switch (random.below(depth === 0 ? 4 : 6)) {
      case 0:
        return `(ref.func ${random.pick(functions)})`
      case 1:
        return '(ref.null func)'
      case 2:
        return '(local.get $ref)'
      case 3:
        return random.chance(60) ? '(local.get $ref)' : `(table.get $u ${index()})`
      case 4:
        return `(local.tee $ref ${reference(depth - 1)})`
      default:
        return `(select (result funcref) ${reference(depth - 1)} ${reference(depth - 1)} ${expression('i32', 1)})`
    }
  }
  switch (random.below(16)) {
    case 0:
    case 1:
      return `(table.set $u ${index()} ${reference(2)})`
    case 2:
      return `(local.set $ref ${reference(2)})`
    case 3:
      return `(global.set $gi (table.grow $u ${reference(1)} ${few()}))`
    case 4:
      return `(table.fill $u ${index()} ${reference(1)} ${few()})`
    case 5:
      return `(table.init $u $passive ${few()} ${few()} ${few()})`
    case 6:
      return `(table.copy $u $t ${few()} ${few()} ${few()})`
    case 7:
      return random.chance(20) ? '(elem.drop $passive)' : '(elem.drop $other)'
    case 8:
      return `(global.set $gi (ref.is_null ${reference(2)}))`
    case 9:
      return '(global.set $gi (i32.add (table.size $u) (table.size $x)))'
    case 10:
      return `(table.set $x ${few()} (select (result externref) (local.get $ext) (ref.null extern) ${expression('i32', 1)}))`
    case 11:
      return `(global.set $gi (i32.add (table.grow $x (ref.null extern) ${few()}) (ref.is_null (table.get $x ${few()}))))`
    case 12:
      return `(memory.copy (i32.const ${random.below(200)}) (i32.const ${random.below(300)}) (i32.const ${random.below(100)}))`
    case 13:
      return random.chance(20) ? '(data.drop $d)' : '(data.drop $e)'
    case 14:
      return `(memory.init $e (i32.const ${random.below(200)}) (i32.const ${random.below(4)}) (i32.const ${random.below(6)}))`
    default:
      return `(global.set $gv ${expression('v128', 2)})`
  }
}
