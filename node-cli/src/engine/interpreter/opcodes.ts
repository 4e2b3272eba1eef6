import { type Operator, operators } from '../../../../protocol/wasm/operators.ts'

/**
 * Operators that translate to an instruction of their own name: everything that neither moves values nor passes control
 * on. Operators of vectors, tables and segments run outside the main loop, which stays small enough to be fast.
 */
const structural = words(`unreachable nop block loop if else end br br_if br_table
  return call call_indirect return_call return_call_indirect drop select select_t
  local.get local.set local.tee global.get global.set
  i32.const i64.const f32.const f64.const v128.const ref.null ref.is_null ref.func`)
/** Reinterpretations move bits between slots, which the moves do. */
const moves = words('i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64')

const named = operators.filter(({ name }) => !structural.includes(name) && !moves.includes(name))
const runsOutside = ({ name, feature, code }: Operator): boolean =>
  feature === 'simd' || code >= 0xfc08 || name.startsWith('table.')
const scalar = named.filter((operator) => !runsOutside(operator)).map(({ name }) => name)
const outside = named.filter(runsOutside).map(({ name }) => name)

/** Integer operators that can take a constant for their second operand. */
export const withConstant = words(`add mul and or xor shl shr_s shr_u rotl
  eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u div_u rem_u`)
/** Comparisons that a branch can make itself; the others are these with their operands exchanged or a constant moved by one. */
export const branchComparisons = words('eq ne lt_s lt_u ge_s ge_u')

const integers = ['i32', 'i64'] as const
const branches = [
  'br',
  'br_if',
  'br_ifz',
  ...integers.flatMap((type) =>
    branchComparisons.flatMap((name) => [`br_${type}_${name}`, `br_${type}_${name}_c`]),
  ),
]

/** Every instruction of the interpreter, in the order of its code. */
export const instructions: readonly string[] = [
  // A word of zeroes is not an instruction.
  'invalid',
  'fuel',
  'enter',
  'loop',
  // Before an operator that may move much memory: the host may check its clock.
  'poll',
  ...branches,
  // The same to a loop, whose header asks whether gas is left.
  ...branches.map((name) => `${name}_loop`),
  ...words(`br_table call call_indirect return_call return_call_indirect host leave
    ret ret_32 ret_64 ret_128 ret_many trap mov_32 mov_64 mov_128 mov_many const_32 const_64 const_128
    select_32 select_64 select_128 global_get_32 global_get_64 global_get_128
    global_set_32 global_set_64 global_set_128`),
  ...scalar,
  ...integers.flatMap((type) => withConstant.map((name) => `${type}_${name}_c`)),
  // The first code that runs outside the main loop.
  ...outside,
].map((name) => name.replace('.', '_'))

const operatorNames = new Map(named.map(({ name }) => [name.replace('.', '_'), name]))

/** Code of an instruction by its name, or by the name of the operator it comes from. */
export const codeOf: ReadonlyMap<string, number> = new Map(
  instructions.flatMap((name, code): [string, number][] => [
    [name, code],
    [operatorNames.get(name) ?? name, code],
  ]),
)

function words(text: string): readonly string[] {
  return text.split(/\s+/)
}
