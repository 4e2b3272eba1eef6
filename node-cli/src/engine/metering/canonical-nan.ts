import { type ByteWriter, opcode } from './byte-writer.ts'

/** The kinds of values whose NaN must be canonical. */
export type NanKind = 'f32' | 'f64' | 'f32x4' | 'f64x2'

/** The same as bits: a local of a vector may carry both kinds of lanes. */
export const nanBits: Readonly<Record<NanKind, number>> = { f32: 1, f64: 2, f32x4: 4, f64x2: 8 }

const arithmetic = ['add', 'sub', 'mul', 'div', 'min', 'max', 'sqrt', 'ceil', 'floor', 'trunc', 'nearest']
const comparisons = ['eq', 'ne', 'lt', 'gt', 'le', 'ge']

/** Operators whose NaN results are made canonical, with the kind of the result. */
export const canonicalized: ReadonlyMap<string, NanKind> = new Map<string, NanKind>([
  ...(['f32', 'f64', 'f32x4', 'f64x2'] as const).flatMap((kind) =>
    arithmetic.map((name): [string, NanKind] => [`${kind}.${name}`, kind]),
  ),
  ['f32.demote_f64', 'f32'],
  ['f64.promote_f32', 'f64'],
  ['f32x4.demote_f64x2_zero', 'f32x4'],
  ['f64x2.promote_low_f32x4', 'f64x2'],
])

const insensitive = (kind: NanKind, more: readonly string[]): ReadonlySet<string> =>
  new Set([...[...arithmetic, ...comparisons].map((name) => `${kind}.${name}`), ...more])
const truncations = (from: 'f32' | 'f64'): string[] =>
  ['i32.trunc', 'i32.trunc_sat', 'i64.trunc', 'i64.trunc_sat'].flatMap((name) => [
    `${name}_${from}_s`,
    `${name}_${from}_u`,
  ])

/**
 * Operators that take a value of a kind from the top of the stack and whose results do not tell one NaN from another: a
 * result that only they see needs no canonical form.
 */
export const payloadInsensitive: Readonly<Record<NanKind, ReadonlySet<string>>> = {
  f32: insensitive('f32', ['f64.promote_f32', ...truncations('f32')]),
  f64: insensitive('f64', ['f32.demote_f64', ...truncations('f64')]),
  f32x4: insensitive('f32x4', [
    'f64x2.promote_low_f32x4',
    'i32x4.trunc_sat_f32x4_s',
    'i32x4.trunc_sat_f32x4_u',
  ]),
  f64x2: insensitive('f64x2', [
    'f32x4.demote_f64x2_zero',
    'i32x4.trunc_sat_f64x2_s_zero',
    'i32x4.trunc_sat_f64x2_u_zero',
  ]),
}

const f32Nan = [0x00, 0x00, 0xc0, 0x7f]
const f64Nan = [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x7f]
const constants: Readonly<Record<NanKind, readonly number[]>> = {
  f32: [0x43, ...f32Nan],
  f64: [0x44, ...f64Nan],
  f32x4: [0xfd, 0x0c, ...f32Nan, ...f32Nan, ...f32Nan, ...f32Nan],
  f64x2: [0xfd, 0x0c, ...f64Nan, ...f64Nan],
}
/** Equality, then the choice: `select` for scalars, `v128.bitselect` for vectors. */
const choices: Readonly<Record<NanKind, readonly number[]>> = {
  f32: [0x5b, 0x1b],
  f64: [0x61, 0x1b],
  f32x4: [0xfd, 0x41, 0xfd, 0x52],
  f64x2: [0xfd, 0x47, 0xfd, 0x52],
}

/** Makes the value on top of the stack canonical: itself where it equals itself, else the one NaN. */
export function writeCanonical(output: ByteWriter, kind: NanKind, temporary: number): void {
  output.op(opcode.localTee, temporary)
  output.bytes(constants[kind])
  output.op(opcode.localGet, temporary)
  output.op(opcode.localGet, temporary)
  output.bytes(choices[kind])
}
