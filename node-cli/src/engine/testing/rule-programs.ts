/** A program that shows a rule, in text form, with the parameters of its runs. */
export interface RuleProgram {
  readonly name: string
  readonly text: string
  readonly input?: string
  readonly functionId?: number
  /** Gas limits beside the usual ones. */
  readonly limits?: readonly number[]
}

/** By name; a text alone where nothing more is said. */
type Programs = Readonly<Record<string, string | Omit<RuleProgram, 'name'>>>

const empty = '(i64.const 0)'

const guest = (entry: string, more = '', memory = '1 4'): string => `(module ${hostImports(entry + more)}
  (memory (export "memory") ${memory}) ${more}
  (func (export "__alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "__hive_entry") (param i32 i32 i32) (result i64) ${entry}))`

const imports: Readonly<Record<string, string>> = {
  $log: '(import "console" "log" (func $log (param i32 i32)))',
  $hash: '(import "crypto" "hash" (func $hash (param i32 i32) (result i64)))',
  $get: '(import "storage" "get" (func $get (param i32 i32) (result i64)))',
  $set: '(import "storage" "set" (func $set (param i32 i32 i32 i32)))',
  $emit: '(import "hive" "emit" (func $emit (param i32 i32 i32 i32)))',
}
const hostImports = (body: string): string =>
  Object.entries(imports)
    .filter(([name]) => new RegExp(`\\${name}\\b`).test(body))
    .map(([, declared]) => declared)
    .join(' ')

/** Ten rounds of a loop, whose gas is in the activation's own counter afterwards. */
const ten = (local: number) =>
  `(loop $l (br_if $l (i32.lt_u (local.tee ${local} (i32.add (local.get ${local}) (i32.const 1))) (i32.const 10))))`
const after = (body: string, more = '', memory?: string) =>
  guest(`(local i32) ${ten(3)} ${body} ${empty}`, more, memory)
const callee = '(func $callee)'
const divide = '(drop (i32.div_u (i32.const 1) (i32.const 0)))'
const tableOf = (...names: string[]) =>
  `(table ${names.length + 1} funcref) (elem (i32.const 0) func ${names.join(' ')})`

const traps: Programs = {
  'a division by zero reports what was saved': after(divide),
  'a division by zero after a call': after(`(call $callee) ${divide}`, callee),
  'unreachable reports everything': after('(unreachable)'),
  'a load out of bounds for the moment': after('(drop (i32.load (i32.const 262140)))'),
  'a load that can never be in bounds': after('(drop (i32.load offset=262144 (i32.const 0)))'),
  'the same load where there is no maximum': after('(drop (i32.load offset=262144 (i32.const 0)))', '', '1'),
  'the last four bytes of the largest memory': after(
    '(drop (i32.load offset=4294967292 (i32.const 0)))',
    '',
    '1',
  ),
  'one byte further': after('(drop (i32.load offset=4294967293 (i32.const 0)))', '', '1'),
  'a maximum beyond the cap counts as it is stated': after(
    '(drop (i32.load offset=67108864 (i32.const 0)))',
    '',
    '1 2000',
  ),
  'a memory of no pages': after('(i32.store8 (i32.const 0) (i32.const 1))', '', '0 0'),
  'an access never in bounds in dead code': after(
    '(block (br 0) (drop (i32.load offset=262144 (i32.const 0))))',
  ),
  'eight bytes of a widening load fit': after(
    '(drop (v128.load8x8_u offset=262136 (i32.const 0)))',
    '',
    '4 4',
  ),
  'sixteen bytes do not': after('(drop (v128.load offset=262136 (i32.const 0)))', '', '4 4'),
  'an integer overflow': after('(drop (i32.div_s (i32.const -2147483648) (i32.const -1)))'),
  'a conversion of a NaN': after('(drop (i32.trunc_f32_s (f32.const nan)))'),
  'a fill out of bounds': after('(memory.fill (i32.const 0) (i32.const 0) (i32.const 262145))'),
  'an indirect call of nothing': after('(call_indirect (i32.const 1))', `${callee} ${tableOf('$callee')}`),
  'an indirect call beyond the table': after(
    '(call_indirect (i32.const 9))',
    `${callee} ${tableOf('$callee')}`,
  ),
  'an indirect call of another signature': after(
    '(call_indirect (param i32) (i32.const 0) (i32.const 0))',
    `${callee} ${tableOf('$callee')}`,
  ),
  'an indirect call': after('(call_indirect (i32.const 0))', `${callee} ${tableOf('$callee')}`),
  'a segment out of bounds': guest(empty, '(data (i32.const 65535) "xx")'),
}

const stacks: Programs = {
  'recursion of a function with two parameters': guest(
    `(drop (call $f (i32.const 0) (i32.const 0))) ${empty}`,
    '(func $f (param i32 i32) (result i32) (call $f (local.get 0) (local.get 1)))',
  ),
  'recursion of an empty function': guest(`(call $f) ${empty}`, '(func $f (call $f))'),
  'recursion with a hundred locals': guest(
    `(call $f) ${empty}`,
    `(func $f (local ${'i64 '.repeat(100)}) (call $f))`,
  ),
  'the deepest recursion that fits': {
    functionId: 9360,
    text: guest(
      `(call $f (local.get 0)) ${empty}`,
      '(func $f (param i32) (if (local.get 0) (then (call $f (i32.sub (local.get 0) (i32.const 1))))))',
    ),
  },
  'one deeper': {
    functionId: 9361,
    text: guest(
      `(call $f (local.get 0)) ${empty}`,
      '(func $f (param i32) (if (local.get 0) (then (call $f (i32.sub (local.get 0) (i32.const 1))))))',
    ),
  },
  'heights of dead code count': guest(
    `(call $f) ${empty}`,
    `(func $f (call $f) (return) ${'(i32.const 0) '.repeat(20)} unreachable)`,
  ),
  'a cost that is more than there can be': guest(
    `(call $f) ${empty}`,
    `(func $f (local ${'i64 '.repeat(49_000)}) (drop ${'(i32.add (i32.const 1) '.repeat(100)} (i32.const 0) ${')'.repeat(100)}) (call $f))`,
  ),
  'a hundred thousand tail calls': guest(
    `(call $f (i32.const 100000)) ${empty}`,
    '(func $f (param i32) (if (local.get 0) (then (return_call $f (i32.sub (local.get 0) (i32.const 1))))))',
  ),
  'a tail call through a table, of nothing': guest(
    `(call $f) ${empty}`,
    `${callee} ${tableOf('$callee')} (func $f (return_call_indirect (i32.const 1)))`,
  ),
}

const paths: Programs = {
  'an entry that does nothing': { text: guest(empty), limits: [1, 2, 13] },
  'an if that is not taken': guest(`(if (local.get 0) (then (nop))) ${empty}`),
  'an if that is taken': { functionId: 1, text: guest(`(if (local.get 0) (then (nop))) ${empty}`) },
  'an if that leaves, without else': guest(`(if (i32.eqz (local.get 0)) (then (return ${empty}))) ${empty}`),
  'a branch table': {
    functionId: 1,
    text: guest(`(block (block (block (br_table 0 1 2 (local.get 0))) (return ${empty})) (nop)) ${empty}`),
  },
  'a branch table beyond its end': {
    functionId: -1,
    text: guest(`(block (block (block (br_table 0 1 2 (local.get 0))) (return ${empty})) (nop)) ${empty}`),
  },
  'a loop whose end is dead': guest(
    `(local i32) (block $out (loop $l (br_if $out (local.tee 3 (i32.add (local.get 3) (i32.const 1)))) (br $l))) ${empty}`,
  ),
  'a long tail behind the last place that asks': {
    text: guest(`${'(drop (i32.add (i32.const 1) (i32.const 2))) '.repeat(60)} ${empty}`),
    limits: [2, 1, 9, 10],
  },
  'a long tail, then a trap': {
    text: guest(`${'(drop (i32.add (i32.const 1) (i32.const 2))) '.repeat(60)} (unreachable)`),
    limits: [2, 1],
  },
  'a start function': {
    text: guest(empty, `(func $start (local i32) ${ten(0)}) (start $start)`),
    limits: [65, 66, 67],
  },
  'memory grows to the cap and no further': guest(
    `(if (i32.ne (memory.grow (i32.const 1023)) (i32.const 1)) (then unreachable)) (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable)) ${empty}`,
    '',
    '1',
  ),
  'constants are folded': guest('(i64.const 0x500000002)', '(data (i32.const 5) "ok")'),
  'code behind a conditional branch that cannot be reached': guest(
    `(block (br 0) br_if 0 i32.add drop) ${empty}`,
  ),
}

const hosted: Programs = {
  'a log line': {
    text: guest(`(call $log (i32.const 0) (i32.const 2)) ${empty}`, '(data (i32.const 0) "hi")'),
    limits: [100, 110, 120],
  },
  'a log line, then a trap': guest(
    `(call $log (i32.const 0) (i32.const 2)) ${divide} ${empty}`,
    '(data (i32.const 0) "hi")',
  ),
  'a host function through a table': guest(
    `(call_indirect (param i32 i32) (i32.const 0) (i32.const 2) (i32.const 0)) ${empty}`,
    `${tableOf('$log')}`,
  ),
  'a hash': {
    text: guest('(call $hash (i32.const 0) (i32.const 2))', '(data (i32.const 0) "hi")'),
    limits: [202, 210, 220],
  },
  'a host function called last': guest(
    '(return_call $hash (i32.const 0) (i32.const 2))',
    '(data (i32.const 0) "hi")',
  ),
  'a value written and read': guest(
    '(call $set (i32.const 0) (i32.const 1) (i32.const 1) (i32.const 2)) (call $get (i32.const 0) (i32.const 1))',
    '(data (i32.const 0) "key")',
  ),
  'an event': {
    text: guest(
      `(call $emit (i32.const 0) (i32.const 1) (i32.const 1) (i32.const 1)) ${empty}`,
      '(data (i32.const 0) "n7")',
    ),
    limits: [503, 504, 505],
  },
  'input goes through the allocator': {
    input: 'grüße',
    text: guest(
      '(i64.or (i64.shl (i64.extend_i32_u (local.get 1)) (i64.const 32)) (i64.extend_i32_u (local.get 2)))',
    ),
  },
  'output out of bounds': guest('(i64.const 0xfffff000000ff)'),
  'an error code': guest('(i64.const -7)'),
}

const shown = (value: string) =>
  guest(
    `(local $i i32) (i64.store (i32.const 0) ${value})
   (loop $l
     (i32.store8 offset=16 (i32.sub (i32.const 15) (local.get $i)) (i32.add (i32.const 97) (i32.wrap_i64 (i64.and (i64.load (i32.const 0)) (i64.const 15)))))
     (i64.store (i32.const 0) (i64.shr_u (i64.load (i32.const 0)) (i64.const 4)))
     (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 16))))
   (i64.const ${(16n << 32n) | 16n})`,
    '(global $zero f64 (f64.const 0)) (global $single f32 (f32.const 0))',
  )
const bits = (value: string) => shown(`(i64.reinterpret_f64 ${value})`)
const zero = '(global.get $zero)'
const nans: Programs = {
  'zero by zero': bits(`(f64.div ${zero} ${zero})`),
  'the sign of a negated NaN stays': bits(`(f64.neg (f64.div ${zero} ${zero}))`),
  'the sign that is copied stays': bits(`(f64.copysign (f64.sqrt (f64.const -1)) (f64.const -1))`),
  'a payload goes through a select': bits(`(select (f64.const -nan:0x123) ${zero} (i32.const 1))`),
  'a payload does not go through a sum': bits(`(f64.add (f64.const -nan:0x123) ${zero})`),
  'a payload does not go through a promotion': bits('(f64.promote_f32 (f32.const -nan:0x123))'),
  'a payload goes through the lesser of vectors': shown(
    '(i64x2.extract_lane 0 (f64x2.pmin (f64x2.splat (f64.const nan:0x123)) (f64x2.splat (f64.const 1))))',
  ),
  'a payload does not go through the minimum of vectors': shown(
    '(i64x2.extract_lane 0 (f64x2.min (f64x2.splat (f64.const nan:0x123)) (f64x2.splat (f64.const 1))))',
  ),
  'lanes become canonical one by one': shown(
    '(i64x2.extract_lane 0 (f32x4.div (v128.const f32x4 0 1 2 3) (v128.const f32x4 0 0 0 0)))',
  ),
}

/** Programs that show the rules of gas, of the stack and of NaNs, one each. */
export const rulePrograms: readonly RuleProgram[] = [traps, stacks, paths, hosted, nans].flatMap((programs) =>
  Object.entries(programs).map(([name, program]) =>
    typeof program === 'string' ? { name, text: program } : { name, ...program },
  ),
)
