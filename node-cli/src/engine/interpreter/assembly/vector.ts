import { machine, Trap, trapped } from './machine'
import { Op } from './opcodes'
import { left, put, right } from './slots'

// @ts-ignore: a decorator of the compiler
@inline function vector(pc: u32, fp: u32, word: u32): v128 {
  return v128.load(fp + load<u32>(pc + word))
}

// @ts-ignore: a decorator of the compiler
@inline function result(pc: u32, fp: u32, value: v128): void {
  v128.store(fp + load<u32>(pc, 4), value)
}

// @ts-ignore: a decorator of the compiler
@inline function loadPlace(pc: u32, fp: u32, word: u32): u64 {
  return <u64>left<u32>(pc, fp) + <u64>load<u32>(pc + word)
}

// @ts-ignore: a decorator of the compiler
@inline function storePlace(pc: u32, fp: u32): u64 {
  return <u64>load<u32>(fp + load<u32>(pc, 4)) + <u64>load<u32>(pc, 12)
}

function fault(kind: Trap): u32 {
  trapped(kind)
  return 0
}

/** Lanes that are NaN become the one NaN. */
// @ts-ignore: a decorator of the compiler
@inline function singles(value: v128): v128 {
  return v128.bitselect(value, i32x4.splat(0x7fc00000), f32x4.eq(value, value))
}

// @ts-ignore: a decorator of the compiler
@inline function doubles(value: v128): v128 {
  return v128.bitselect(value, i64x2.splat(0x7ff8000000000000), f64x2.eq(value, value))
}

/** Both operands side by side, and the lanes that were chosen. */
const lanes = memory.data(48, 16)

function shuffle(pc: u32, fp: u32): void {
  v128.store(lanes, vector(pc, fp, 8))
  v128.store(lanes, vector(pc, fp, 12), 16)
  for (let lane: u32 = 0; lane < 16; lane++)
    store<u8>(lanes + lane, load<u8>(lanes + load<u8>(pc + 16 + lane)), 32)
  result(pc, fp, v128.load(lanes, 32))
}

/** Runs an instruction on vectors. @returns The next instruction, or 0 after a trap. */
export function runVector(code: u32, pc: u32, fp: u32): u32 {
  switch (code) {
    case Op.v128_load: { const at = loadPlace(pc, fp, 12); if (at + 16 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.v128_load8x8_s: { const at = loadPlace(pc, fp, 12); if (at + 8 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load8x8_s(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.v128_load8x8_u: { const at = loadPlace(pc, fp, 12); if (at + 8 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load8x8_u(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.v128_load16x4_s: { const at = loadPlace(pc, fp, 12); if (at + 8 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load16x4_s(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.v128_load16x4_u: { const at = loadPlace(pc, fp, 12); if (at + 8 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load16x4_u(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.v128_load32x2_s: { const at = loadPlace(pc, fp, 12); if (at + 8 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load32x2_s(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.v128_load32x2_u: { const at = loadPlace(pc, fp, 12); if (at + 8 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load32x2_u(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.v128_load8_splat: { const at = loadPlace(pc, fp, 12); if (at + 1 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load8_splat(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.v128_load16_splat: { const at = loadPlace(pc, fp, 12); if (at + 2 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load16_splat(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.v128_load32_splat: { const at = loadPlace(pc, fp, 12); if (at + 4 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load32_splat(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.v128_load64_splat: { const at = loadPlace(pc, fp, 12); if (at + 8 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load64_splat(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.v128_store: { const at = storePlace(pc, fp); if (at + 16 > machine.memoryBytes) return fault(Trap.memory); v128.store(machine.memoryBase + <u32>at, vector(pc, fp, 8)); return pc + 16 }
    case Op.i8x16_shuffle: { shuffle(pc, fp); return pc + 32 }
    case Op.i8x16_swizzle: { result(pc, fp, i8x16.swizzle(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_splat: { result(pc, fp, i8x16.splat(left<i8>(pc, fp))); return pc + 12 }
    case Op.i16x8_splat: { result(pc, fp, i16x8.splat(left<i16>(pc, fp))); return pc + 12 }
    case Op.i32x4_splat: { result(pc, fp, i32x4.splat(left<i32>(pc, fp))); return pc + 12 }
    case Op.i64x2_splat: { result(pc, fp, i64x2.splat(left<i64>(pc, fp))); return pc + 12 }
    case Op.f32x4_splat: { result(pc, fp, f32x4.splat(left<f32>(pc, fp))); return pc + 12 }
    case Op.f64x2_splat: { result(pc, fp, f64x2.splat(left<f64>(pc, fp))); return pc + 12 }
    case Op.i8x16_extract_lane_s: { put<i32>(pc, fp, <i32>load<i8>(fp + load<u32>(pc, 8) + 1 * load<u32>(pc, 12))); return pc + 16 }
    case Op.i8x16_extract_lane_u: { put<i32>(pc, fp, <i32>load<u8>(fp + load<u32>(pc, 8) + 1 * load<u32>(pc, 12))); return pc + 16 }
    case Op.i8x16_replace_lane: { const lane = right<u8>(pc, fp); result(pc, fp, vector(pc, fp, 8)); store<u8>(fp + load<u32>(pc, 4) + 1 * load<u32>(pc, 16), lane); return pc + 20 }
    case Op.i16x8_extract_lane_s: { put<i32>(pc, fp, <i32>load<i16>(fp + load<u32>(pc, 8) + 2 * load<u32>(pc, 12))); return pc + 16 }
    case Op.i16x8_extract_lane_u: { put<i32>(pc, fp, <i32>load<u16>(fp + load<u32>(pc, 8) + 2 * load<u32>(pc, 12))); return pc + 16 }
    case Op.i16x8_replace_lane: { const lane = right<u16>(pc, fp); result(pc, fp, vector(pc, fp, 8)); store<u16>(fp + load<u32>(pc, 4) + 2 * load<u32>(pc, 16), lane); return pc + 20 }
    case Op.i32x4_extract_lane: { put<u32>(pc, fp, load<u32>(fp + load<u32>(pc, 8) + 4 * load<u32>(pc, 12))); return pc + 16 }
    case Op.i32x4_replace_lane: { const lane = right<u32>(pc, fp); result(pc, fp, vector(pc, fp, 8)); store<u32>(fp + load<u32>(pc, 4) + 4 * load<u32>(pc, 16), lane); return pc + 20 }
    case Op.i64x2_extract_lane: { put<u64>(pc, fp, load<u64>(fp + load<u32>(pc, 8) + 8 * load<u32>(pc, 12))); return pc + 16 }
    case Op.i64x2_replace_lane: { const lane = right<u64>(pc, fp); result(pc, fp, vector(pc, fp, 8)); store<u64>(fp + load<u32>(pc, 4) + 8 * load<u32>(pc, 16), lane); return pc + 20 }
    case Op.f32x4_extract_lane: { put<u32>(pc, fp, load<u32>(fp + load<u32>(pc, 8) + 4 * load<u32>(pc, 12))); return pc + 16 }
    case Op.f32x4_replace_lane: { const lane = right<u32>(pc, fp); result(pc, fp, vector(pc, fp, 8)); store<u32>(fp + load<u32>(pc, 4) + 4 * load<u32>(pc, 16), lane); return pc + 20 }
    case Op.f64x2_extract_lane: { put<u64>(pc, fp, load<u64>(fp + load<u32>(pc, 8) + 8 * load<u32>(pc, 12))); return pc + 16 }
    case Op.f64x2_replace_lane: { const lane = right<u64>(pc, fp); result(pc, fp, vector(pc, fp, 8)); store<u64>(fp + load<u32>(pc, 4) + 8 * load<u32>(pc, 16), lane); return pc + 20 }
    case Op.i8x16_eq: { result(pc, fp, i8x16.eq(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_ne: { result(pc, fp, i8x16.ne(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_lt_s: { result(pc, fp, i8x16.lt_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_lt_u: { result(pc, fp, i8x16.lt_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_gt_s: { result(pc, fp, i8x16.gt_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_gt_u: { result(pc, fp, i8x16.gt_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_le_s: { result(pc, fp, i8x16.le_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_le_u: { result(pc, fp, i8x16.le_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_ge_s: { result(pc, fp, i8x16.ge_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_ge_u: { result(pc, fp, i8x16.ge_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_eq: { result(pc, fp, i16x8.eq(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_ne: { result(pc, fp, i16x8.ne(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_lt_s: { result(pc, fp, i16x8.lt_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_lt_u: { result(pc, fp, i16x8.lt_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_gt_s: { result(pc, fp, i16x8.gt_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_gt_u: { result(pc, fp, i16x8.gt_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_le_s: { result(pc, fp, i16x8.le_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_le_u: { result(pc, fp, i16x8.le_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_ge_s: { result(pc, fp, i16x8.ge_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_ge_u: { result(pc, fp, i16x8.ge_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_eq: { result(pc, fp, i32x4.eq(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_ne: { result(pc, fp, i32x4.ne(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_lt_s: { result(pc, fp, i32x4.lt_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_lt_u: { result(pc, fp, i32x4.lt_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_gt_s: { result(pc, fp, i32x4.gt_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_gt_u: { result(pc, fp, i32x4.gt_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_le_s: { result(pc, fp, i32x4.le_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_le_u: { result(pc, fp, i32x4.le_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_ge_s: { result(pc, fp, i32x4.ge_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_ge_u: { result(pc, fp, i32x4.ge_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f32x4_eq: { result(pc, fp, f32x4.eq(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f32x4_ne: { result(pc, fp, f32x4.ne(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f32x4_lt: { result(pc, fp, f32x4.lt(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f32x4_gt: { result(pc, fp, f32x4.gt(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f32x4_le: { result(pc, fp, f32x4.le(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f32x4_ge: { result(pc, fp, f32x4.ge(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f64x2_eq: { result(pc, fp, f64x2.eq(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f64x2_ne: { result(pc, fp, f64x2.ne(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f64x2_lt: { result(pc, fp, f64x2.lt(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f64x2_gt: { result(pc, fp, f64x2.gt(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f64x2_le: { result(pc, fp, f64x2.le(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f64x2_ge: { result(pc, fp, f64x2.ge(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.v128_not: { result(pc, fp, v128.not(vector(pc, fp, 8))); return pc + 12 }
    case Op.v128_and: { result(pc, fp, v128.and(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.v128_andnot: { result(pc, fp, v128.andnot(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.v128_or: { result(pc, fp, v128.or(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.v128_xor: { result(pc, fp, v128.xor(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.v128_bitselect: { result(pc, fp, v128.bitselect(vector(pc, fp, 8), vector(pc, fp, 12), vector(pc, fp, 16))); return pc + 20 }
    case Op.v128_any_true: { put<i32>(pc, fp, <i32>v128.any_true(vector(pc, fp, 8))); return pc + 12 }
    case Op.v128_load8_lane: { const at = loadPlace(pc, fp, 16); if (at + 1 > machine.memoryBytes) return fault(Trap.memory); const loaded = load<u8>(machine.memoryBase + <u32>at); result(pc, fp, vector(pc, fp, 12)); store<u8>(fp + load<u32>(pc, 4) + 1 * load<u32>(pc, 20), loaded); return pc + 24 }
    case Op.v128_load16_lane: { const at = loadPlace(pc, fp, 16); if (at + 2 > machine.memoryBytes) return fault(Trap.memory); const loaded = load<u16>(machine.memoryBase + <u32>at); result(pc, fp, vector(pc, fp, 12)); store<u16>(fp + load<u32>(pc, 4) + 2 * load<u32>(pc, 20), loaded); return pc + 24 }
    case Op.v128_load32_lane: { const at = loadPlace(pc, fp, 16); if (at + 4 > machine.memoryBytes) return fault(Trap.memory); const loaded = load<u32>(machine.memoryBase + <u32>at); result(pc, fp, vector(pc, fp, 12)); store<u32>(fp + load<u32>(pc, 4) + 4 * load<u32>(pc, 20), loaded); return pc + 24 }
    case Op.v128_load64_lane: { const at = loadPlace(pc, fp, 16); if (at + 8 > machine.memoryBytes) return fault(Trap.memory); const loaded = load<u64>(machine.memoryBase + <u32>at); result(pc, fp, vector(pc, fp, 12)); store<u64>(fp + load<u32>(pc, 4) + 8 * load<u32>(pc, 20), loaded); return pc + 24 }
    case Op.v128_store8_lane: { const at = storePlace(pc, fp); if (at + 1 > machine.memoryBytes) return fault(Trap.memory); store<u8>(machine.memoryBase + <u32>at, load<u8>(fp + load<u32>(pc, 8) + 1 * load<u32>(pc, 16))); return pc + 20 }
    case Op.v128_store16_lane: { const at = storePlace(pc, fp); if (at + 2 > machine.memoryBytes) return fault(Trap.memory); store<u16>(machine.memoryBase + <u32>at, load<u16>(fp + load<u32>(pc, 8) + 2 * load<u32>(pc, 16))); return pc + 20 }
    case Op.v128_store32_lane: { const at = storePlace(pc, fp); if (at + 4 > machine.memoryBytes) return fault(Trap.memory); store<u32>(machine.memoryBase + <u32>at, load<u32>(fp + load<u32>(pc, 8) + 4 * load<u32>(pc, 16))); return pc + 20 }
    case Op.v128_store64_lane: { const at = storePlace(pc, fp); if (at + 8 > machine.memoryBytes) return fault(Trap.memory); store<u64>(machine.memoryBase + <u32>at, load<u64>(fp + load<u32>(pc, 8) + 8 * load<u32>(pc, 16))); return pc + 20 }
    case Op.v128_load32_zero: { const at = loadPlace(pc, fp, 12); if (at + 4 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load32_zero(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.v128_load64_zero: { const at = loadPlace(pc, fp, 12); if (at + 8 > machine.memoryBytes) return fault(Trap.memory); result(pc, fp, v128.load64_zero(machine.memoryBase + <u32>at)); return pc + 16 }
    case Op.f32x4_demote_f64x2_zero: { result(pc, fp, singles(f32x4.demote_f64x2_zero(vector(pc, fp, 8)))); return pc + 12 }
    case Op.f64x2_promote_low_f32x4: { result(pc, fp, doubles(f64x2.promote_low_f32x4(vector(pc, fp, 8)))); return pc + 12 }
    case Op.i8x16_abs: { result(pc, fp, i8x16.abs(vector(pc, fp, 8))); return pc + 12 }
    case Op.i8x16_neg: { result(pc, fp, i8x16.neg(vector(pc, fp, 8))); return pc + 12 }
    case Op.i8x16_popcnt: { result(pc, fp, i8x16.popcnt(vector(pc, fp, 8))); return pc + 12 }
    case Op.i8x16_all_true: { put<i32>(pc, fp, <i32>i8x16.all_true(vector(pc, fp, 8))); return pc + 12 }
    case Op.i8x16_bitmask: { put<i32>(pc, fp, i8x16.bitmask(vector(pc, fp, 8))); return pc + 12 }
    case Op.i8x16_narrow_i16x8_s: { result(pc, fp, i8x16.narrow_i16x8_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_narrow_i16x8_u: { result(pc, fp, i8x16.narrow_i16x8_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f32x4_ceil: { result(pc, fp, singles(f32x4.ceil(vector(pc, fp, 8)))); return pc + 12 }
    case Op.f32x4_floor: { result(pc, fp, singles(f32x4.floor(vector(pc, fp, 8)))); return pc + 12 }
    case Op.f32x4_trunc: { result(pc, fp, singles(f32x4.trunc(vector(pc, fp, 8)))); return pc + 12 }
    case Op.f32x4_nearest: { result(pc, fp, singles(f32x4.nearest(vector(pc, fp, 8)))); return pc + 12 }
    case Op.i8x16_shl: { result(pc, fp, i8x16.shl(vector(pc, fp, 8), right<i32>(pc, fp))); return pc + 16 }
    case Op.i8x16_shr_s: { result(pc, fp, i8x16.shr_s(vector(pc, fp, 8), right<i32>(pc, fp))); return pc + 16 }
    case Op.i8x16_shr_u: { result(pc, fp, i8x16.shr_u(vector(pc, fp, 8), right<i32>(pc, fp))); return pc + 16 }
    case Op.i8x16_add: { result(pc, fp, i8x16.add(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_add_sat_s: { result(pc, fp, i8x16.add_sat_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_add_sat_u: { result(pc, fp, i8x16.add_sat_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_sub: { result(pc, fp, i8x16.sub(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_sub_sat_s: { result(pc, fp, i8x16.sub_sat_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_sub_sat_u: { result(pc, fp, i8x16.sub_sat_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f64x2_ceil: { result(pc, fp, doubles(f64x2.ceil(vector(pc, fp, 8)))); return pc + 12 }
    case Op.f64x2_floor: { result(pc, fp, doubles(f64x2.floor(vector(pc, fp, 8)))); return pc + 12 }
    case Op.i8x16_min_s: { result(pc, fp, i8x16.min_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_min_u: { result(pc, fp, i8x16.min_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_max_s: { result(pc, fp, i8x16.max_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i8x16_max_u: { result(pc, fp, i8x16.max_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f64x2_trunc: { result(pc, fp, doubles(f64x2.trunc(vector(pc, fp, 8)))); return pc + 12 }
    case Op.i8x16_avgr_u: { result(pc, fp, i8x16.avgr_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_extadd_pairwise_i8x16_s: { result(pc, fp, i16x8.extadd_pairwise_i8x16_s(vector(pc, fp, 8))); return pc + 12 }
    case Op.i16x8_extadd_pairwise_i8x16_u: { result(pc, fp, i16x8.extadd_pairwise_i8x16_u(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_extadd_pairwise_i16x8_s: { result(pc, fp, i32x4.extadd_pairwise_i16x8_s(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_extadd_pairwise_i16x8_u: { result(pc, fp, i32x4.extadd_pairwise_i16x8_u(vector(pc, fp, 8))); return pc + 12 }
    case Op.i16x8_abs: { result(pc, fp, i16x8.abs(vector(pc, fp, 8))); return pc + 12 }
    case Op.i16x8_neg: { result(pc, fp, i16x8.neg(vector(pc, fp, 8))); return pc + 12 }
    case Op.i16x8_q15mulr_sat_s: { result(pc, fp, i16x8.q15mulr_sat_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_all_true: { put<i32>(pc, fp, <i32>i16x8.all_true(vector(pc, fp, 8))); return pc + 12 }
    case Op.i16x8_bitmask: { put<i32>(pc, fp, i16x8.bitmask(vector(pc, fp, 8))); return pc + 12 }
    case Op.i16x8_narrow_i32x4_s: { result(pc, fp, i16x8.narrow_i32x4_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_narrow_i32x4_u: { result(pc, fp, i16x8.narrow_i32x4_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_extend_low_i8x16_s: { result(pc, fp, i16x8.extend_low_i8x16_s(vector(pc, fp, 8))); return pc + 12 }
    case Op.i16x8_extend_high_i8x16_s: { result(pc, fp, i16x8.extend_high_i8x16_s(vector(pc, fp, 8))); return pc + 12 }
    case Op.i16x8_extend_low_i8x16_u: { result(pc, fp, i16x8.extend_low_i8x16_u(vector(pc, fp, 8))); return pc + 12 }
    case Op.i16x8_extend_high_i8x16_u: { result(pc, fp, i16x8.extend_high_i8x16_u(vector(pc, fp, 8))); return pc + 12 }
    case Op.i16x8_shl: { result(pc, fp, i16x8.shl(vector(pc, fp, 8), right<i32>(pc, fp))); return pc + 16 }
    case Op.i16x8_shr_s: { result(pc, fp, i16x8.shr_s(vector(pc, fp, 8), right<i32>(pc, fp))); return pc + 16 }
    case Op.i16x8_shr_u: { result(pc, fp, i16x8.shr_u(vector(pc, fp, 8), right<i32>(pc, fp))); return pc + 16 }
    case Op.i16x8_add: { result(pc, fp, i16x8.add(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_add_sat_s: { result(pc, fp, i16x8.add_sat_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_add_sat_u: { result(pc, fp, i16x8.add_sat_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_sub: { result(pc, fp, i16x8.sub(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_sub_sat_s: { result(pc, fp, i16x8.sub_sat_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_sub_sat_u: { result(pc, fp, i16x8.sub_sat_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f64x2_nearest: { result(pc, fp, doubles(f64x2.nearest(vector(pc, fp, 8)))); return pc + 12 }
    case Op.i16x8_mul: { result(pc, fp, i16x8.mul(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_min_s: { result(pc, fp, i16x8.min_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_min_u: { result(pc, fp, i16x8.min_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_max_s: { result(pc, fp, i16x8.max_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_max_u: { result(pc, fp, i16x8.max_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_avgr_u: { result(pc, fp, i16x8.avgr_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_extmul_low_i8x16_s: { result(pc, fp, i16x8.extmul_low_i8x16_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_extmul_high_i8x16_s: { result(pc, fp, i16x8.extmul_high_i8x16_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_extmul_low_i8x16_u: { result(pc, fp, i16x8.extmul_low_i8x16_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i16x8_extmul_high_i8x16_u: { result(pc, fp, i16x8.extmul_high_i8x16_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_abs: { result(pc, fp, i32x4.abs(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_neg: { result(pc, fp, i32x4.neg(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_all_true: { put<i32>(pc, fp, <i32>i32x4.all_true(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_bitmask: { put<i32>(pc, fp, i32x4.bitmask(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_extend_low_i16x8_s: { result(pc, fp, i32x4.extend_low_i16x8_s(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_extend_high_i16x8_s: { result(pc, fp, i32x4.extend_high_i16x8_s(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_extend_low_i16x8_u: { result(pc, fp, i32x4.extend_low_i16x8_u(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_extend_high_i16x8_u: { result(pc, fp, i32x4.extend_high_i16x8_u(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_shl: { result(pc, fp, i32x4.shl(vector(pc, fp, 8), right<i32>(pc, fp))); return pc + 16 }
    case Op.i32x4_shr_s: { result(pc, fp, i32x4.shr_s(vector(pc, fp, 8), right<i32>(pc, fp))); return pc + 16 }
    case Op.i32x4_shr_u: { result(pc, fp, i32x4.shr_u(vector(pc, fp, 8), right<i32>(pc, fp))); return pc + 16 }
    case Op.i32x4_add: { result(pc, fp, i32x4.add(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_sub: { result(pc, fp, i32x4.sub(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_mul: { result(pc, fp, i32x4.mul(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_min_s: { result(pc, fp, i32x4.min_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_min_u: { result(pc, fp, i32x4.min_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_max_s: { result(pc, fp, i32x4.max_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_max_u: { result(pc, fp, i32x4.max_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_dot_i16x8_s: { result(pc, fp, i32x4.dot_i16x8_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_extmul_low_i16x8_s: { result(pc, fp, i32x4.extmul_low_i16x8_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_extmul_high_i16x8_s: { result(pc, fp, i32x4.extmul_high_i16x8_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_extmul_low_i16x8_u: { result(pc, fp, i32x4.extmul_low_i16x8_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_extmul_high_i16x8_u: { result(pc, fp, i32x4.extmul_high_i16x8_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_abs: { result(pc, fp, i64x2.abs(vector(pc, fp, 8))); return pc + 12 }
    case Op.i64x2_neg: { result(pc, fp, i64x2.neg(vector(pc, fp, 8))); return pc + 12 }
    case Op.i64x2_all_true: { put<i32>(pc, fp, <i32>i64x2.all_true(vector(pc, fp, 8))); return pc + 12 }
    case Op.i64x2_bitmask: { put<i32>(pc, fp, i64x2.bitmask(vector(pc, fp, 8))); return pc + 12 }
    case Op.i64x2_extend_low_i32x4_s: { result(pc, fp, i64x2.extend_low_i32x4_s(vector(pc, fp, 8))); return pc + 12 }
    case Op.i64x2_extend_high_i32x4_s: { result(pc, fp, i64x2.extend_high_i32x4_s(vector(pc, fp, 8))); return pc + 12 }
    case Op.i64x2_extend_low_i32x4_u: { result(pc, fp, i64x2.extend_low_i32x4_u(vector(pc, fp, 8))); return pc + 12 }
    case Op.i64x2_extend_high_i32x4_u: { result(pc, fp, i64x2.extend_high_i32x4_u(vector(pc, fp, 8))); return pc + 12 }
    case Op.i64x2_shl: { result(pc, fp, i64x2.shl(vector(pc, fp, 8), right<i32>(pc, fp))); return pc + 16 }
    case Op.i64x2_shr_s: { result(pc, fp, i64x2.shr_s(vector(pc, fp, 8), right<i32>(pc, fp))); return pc + 16 }
    case Op.i64x2_shr_u: { result(pc, fp, i64x2.shr_u(vector(pc, fp, 8), right<i32>(pc, fp))); return pc + 16 }
    case Op.i64x2_add: { result(pc, fp, i64x2.add(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_sub: { result(pc, fp, i64x2.sub(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_mul: { result(pc, fp, i64x2.mul(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_eq: { result(pc, fp, i64x2.eq(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_ne: { result(pc, fp, i64x2.ne(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_lt_s: { result(pc, fp, i64x2.lt_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_gt_s: { result(pc, fp, i64x2.gt_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_le_s: { result(pc, fp, i64x2.le_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_ge_s: { result(pc, fp, i64x2.ge_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_extmul_low_i32x4_s: { result(pc, fp, i64x2.extmul_low_i32x4_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_extmul_high_i32x4_s: { result(pc, fp, i64x2.extmul_high_i32x4_s(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_extmul_low_i32x4_u: { result(pc, fp, i64x2.extmul_low_i32x4_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i64x2_extmul_high_i32x4_u: { result(pc, fp, i64x2.extmul_high_i32x4_u(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f32x4_abs: { result(pc, fp, f32x4.abs(vector(pc, fp, 8))); return pc + 12 }
    case Op.f32x4_neg: { result(pc, fp, f32x4.neg(vector(pc, fp, 8))); return pc + 12 }
    case Op.f32x4_sqrt: { result(pc, fp, singles(f32x4.sqrt(vector(pc, fp, 8)))); return pc + 12 }
    case Op.f32x4_add: { result(pc, fp, singles(f32x4.add(vector(pc, fp, 8), vector(pc, fp, 12)))); return pc + 16 }
    case Op.f32x4_sub: { result(pc, fp, singles(f32x4.sub(vector(pc, fp, 8), vector(pc, fp, 12)))); return pc + 16 }
    case Op.f32x4_mul: { result(pc, fp, singles(f32x4.mul(vector(pc, fp, 8), vector(pc, fp, 12)))); return pc + 16 }
    case Op.f32x4_div: { result(pc, fp, singles(f32x4.div(vector(pc, fp, 8), vector(pc, fp, 12)))); return pc + 16 }
    case Op.f32x4_min: { result(pc, fp, singles(f32x4.min(vector(pc, fp, 8), vector(pc, fp, 12)))); return pc + 16 }
    case Op.f32x4_max: { result(pc, fp, singles(f32x4.max(vector(pc, fp, 8), vector(pc, fp, 12)))); return pc + 16 }
    case Op.f32x4_pmin: { result(pc, fp, f32x4.pmin(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f32x4_pmax: { result(pc, fp, f32x4.pmax(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f64x2_abs: { result(pc, fp, f64x2.abs(vector(pc, fp, 8))); return pc + 12 }
    case Op.f64x2_neg: { result(pc, fp, f64x2.neg(vector(pc, fp, 8))); return pc + 12 }
    case Op.f64x2_sqrt: { result(pc, fp, doubles(f64x2.sqrt(vector(pc, fp, 8)))); return pc + 12 }
    case Op.f64x2_add: { result(pc, fp, doubles(f64x2.add(vector(pc, fp, 8), vector(pc, fp, 12)))); return pc + 16 }
    case Op.f64x2_sub: { result(pc, fp, doubles(f64x2.sub(vector(pc, fp, 8), vector(pc, fp, 12)))); return pc + 16 }
    case Op.f64x2_mul: { result(pc, fp, doubles(f64x2.mul(vector(pc, fp, 8), vector(pc, fp, 12)))); return pc + 16 }
    case Op.f64x2_div: { result(pc, fp, doubles(f64x2.div(vector(pc, fp, 8), vector(pc, fp, 12)))); return pc + 16 }
    case Op.f64x2_min: { result(pc, fp, doubles(f64x2.min(vector(pc, fp, 8), vector(pc, fp, 12)))); return pc + 16 }
    case Op.f64x2_max: { result(pc, fp, doubles(f64x2.max(vector(pc, fp, 8), vector(pc, fp, 12)))); return pc + 16 }
    case Op.f64x2_pmin: { result(pc, fp, f64x2.pmin(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.f64x2_pmax: { result(pc, fp, f64x2.pmax(vector(pc, fp, 8), vector(pc, fp, 12))); return pc + 16 }
    case Op.i32x4_trunc_sat_f32x4_s: { result(pc, fp, i32x4.trunc_sat_f32x4_s(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_trunc_sat_f32x4_u: { result(pc, fp, i32x4.trunc_sat_f32x4_u(vector(pc, fp, 8))); return pc + 12 }
    case Op.f32x4_convert_i32x4_s: { result(pc, fp, f32x4.convert_i32x4_s(vector(pc, fp, 8))); return pc + 12 }
    case Op.f32x4_convert_i32x4_u: { result(pc, fp, f32x4.convert_i32x4_u(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_trunc_sat_f64x2_s_zero: { result(pc, fp, i32x4.trunc_sat_f64x2_s_zero(vector(pc, fp, 8))); return pc + 12 }
    case Op.i32x4_trunc_sat_f64x2_u_zero: { result(pc, fp, i32x4.trunc_sat_f64x2_u_zero(vector(pc, fp, 8))); return pc + 12 }
    case Op.f64x2_convert_low_i32x4_s: { result(pc, fp, f64x2.convert_low_i32x4_s(vector(pc, fp, 8))); return pc + 12 }
    case Op.f64x2_convert_low_i32x4_u: { result(pc, fp, f64x2.convert_low_i32x4_u(vector(pc, fp, 8))); return pc + 12 }
    default: return fault(Trap.fault)
  }
}
