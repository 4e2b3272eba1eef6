import type { Immediates, OperatorRow } from './operator-row.ts'

const simd = (
  firstCode: number,
  pops: string,
  pushes: string,
  names: string,
  immediates: Immediates = 'none',
): OperatorRow => [firstCode, 'simd', immediates, pops, pushes, names]

/** One operand. */
const unary = (firstCode: number, names: string) => simd(firstCode, 'v128', 'v128', names)
/** Two operands. */
const binary = (firstCode: number, names: string) => simd(firstCode, 'v128 v128', 'v128', names)
/** A vector and a shift count. */
const shift = (firstCode: number, names: string) => simd(firstCode, 'v128 i32', 'v128', names)
/** A vector to one integer. */
const test = (firstCode: number, names: string) => simd(firstCode, 'v128', 'i32', names)

/** The vector operators, as in the table of the operators without SIMD. */
export const simdRows: readonly OperatorRow[] = [
  simd(0xfd00, 'i32', 'v128', 'v128.load/16', 'memarg'),
  simd(0xfd01, 'i32', 'v128', 'v128.load8x8_s/8 v128.load8x8_u/8', 'memarg'),
  simd(0xfd03, 'i32', 'v128', 'v128.load16x4_s/8 v128.load16x4_u/8', 'memarg'),
  simd(0xfd05, 'i32', 'v128', 'v128.load32x2_s/8 v128.load32x2_u/8', 'memarg'),
  simd(0xfd07, 'i32', 'v128', 'v128.load8_splat/1 v128.load16_splat/2', 'memarg'),
  simd(0xfd09, 'i32', 'v128', 'v128.load32_splat/4 v128.load64_splat/8', 'memarg'),
  simd(0xfd0b, 'i32 v128', '', 'v128.store/16', 'memarg'),
  simd(0xfd0c, '', 'v128', 'v128.const', 'v128'),
  simd(0xfd0d, 'v128 v128', 'v128', 'i8x16.shuffle', 'shuffle'),
  binary(0xfd0e, 'i8x16.swizzle'),
  simd(0xfd0f, 'i32', 'v128', 'i8x16.splat i16x8.splat i32x4.splat'),
  simd(0xfd12, 'i64', 'v128', 'i64x2.splat'),
  simd(0xfd13, 'f32', 'v128', 'f32x4.splat'),
  simd(0xfd14, 'f64', 'v128', 'f64x2.splat'),
  simd(0xfd15, 'v128', 'i32', 'i8x16.extract_lane_s i8x16.extract_lane_u', 'lane'),
  simd(0xfd17, 'v128 i32', 'v128', 'i8x16.replace_lane', 'lane'),
  simd(0xfd18, 'v128', 'i32', 'i16x8.extract_lane_s i16x8.extract_lane_u', 'lane'),
  simd(0xfd1a, 'v128 i32', 'v128', 'i16x8.replace_lane', 'lane'),
  simd(0xfd1b, 'v128', 'i32', 'i32x4.extract_lane', 'lane'),
  simd(0xfd1c, 'v128 i32', 'v128', 'i32x4.replace_lane', 'lane'),
  simd(0xfd1d, 'v128', 'i64', 'i64x2.extract_lane', 'lane'),
  simd(0xfd1e, 'v128 i64', 'v128', 'i64x2.replace_lane', 'lane'),
  simd(0xfd1f, 'v128', 'f32', 'f32x4.extract_lane', 'lane'),
  simd(0xfd20, 'v128 f32', 'v128', 'f32x4.replace_lane', 'lane'),
  simd(0xfd21, 'v128', 'f64', 'f64x2.extract_lane', 'lane'),
  simd(0xfd22, 'v128 f64', 'v128', 'f64x2.replace_lane', 'lane'),

  binary(0xfd23, 'i8x16.eq i8x16.ne i8x16.lt_s i8x16.lt_u i8x16.gt_s i8x16.gt_u'),
  binary(0xfd29, 'i8x16.le_s i8x16.le_u i8x16.ge_s i8x16.ge_u'),
  binary(0xfd2d, 'i16x8.eq i16x8.ne i16x8.lt_s i16x8.lt_u i16x8.gt_s i16x8.gt_u'),
  binary(0xfd33, 'i16x8.le_s i16x8.le_u i16x8.ge_s i16x8.ge_u'),
  binary(0xfd37, 'i32x4.eq i32x4.ne i32x4.lt_s i32x4.lt_u i32x4.gt_s i32x4.gt_u'),
  binary(0xfd3d, 'i32x4.le_s i32x4.le_u i32x4.ge_s i32x4.ge_u'),
  binary(0xfd41, 'f32x4.eq f32x4.ne f32x4.lt f32x4.gt f32x4.le f32x4.ge'),
  binary(0xfd47, 'f64x2.eq f64x2.ne f64x2.lt f64x2.gt f64x2.le f64x2.ge'),

  unary(0xfd4d, 'v128.not'),
  binary(0xfd4e, 'v128.and v128.andnot v128.or v128.xor'),
  simd(0xfd52, 'v128 v128 v128', 'v128', 'v128.bitselect'),
  test(0xfd53, 'v128.any_true'),
  simd(0xfd54, 'i32 v128', 'v128', 'v128.load8_lane/1 v128.load16_lane/2', 'memarg-lane'),
  simd(0xfd56, 'i32 v128', 'v128', 'v128.load32_lane/4 v128.load64_lane/8', 'memarg-lane'),
  simd(0xfd58, 'i32 v128', '', 'v128.store8_lane/1 v128.store16_lane/2', 'memarg-lane'),
  simd(0xfd5a, 'i32 v128', '', 'v128.store32_lane/4 v128.store64_lane/8', 'memarg-lane'),
  simd(0xfd5c, 'i32', 'v128', 'v128.load32_zero/4 v128.load64_zero/8', 'memarg'),
  unary(0xfd5e, 'f32x4.demote_f64x2_zero f64x2.promote_low_f32x4'),

  unary(0xfd60, 'i8x16.abs i8x16.neg i8x16.popcnt'),
  test(0xfd63, 'i8x16.all_true i8x16.bitmask'),
  binary(0xfd65, 'i8x16.narrow_i16x8_s i8x16.narrow_i16x8_u'),
  unary(0xfd67, 'f32x4.ceil f32x4.floor f32x4.trunc f32x4.nearest'),
  shift(0xfd6b, 'i8x16.shl i8x16.shr_s i8x16.shr_u'),
  binary(0xfd6e, 'i8x16.add i8x16.add_sat_s i8x16.add_sat_u i8x16.sub i8x16.sub_sat_s i8x16.sub_sat_u'),
  unary(0xfd74, 'f64x2.ceil f64x2.floor'),
  binary(0xfd76, 'i8x16.min_s i8x16.min_u i8x16.max_s i8x16.max_u'),
  unary(0xfd7a, 'f64x2.trunc'),
  binary(0xfd7b, 'i8x16.avgr_u'),
  unary(0xfd7c, 'i16x8.extadd_pairwise_i8x16_s i16x8.extadd_pairwise_i8x16_u'),
  unary(0xfd7e, 'i32x4.extadd_pairwise_i16x8_s i32x4.extadd_pairwise_i16x8_u'),

  unary(0xfd80, 'i16x8.abs i16x8.neg'),
  binary(0xfd82, 'i16x8.q15mulr_sat_s'),
  test(0xfd83, 'i16x8.all_true i16x8.bitmask'),
  binary(0xfd85, 'i16x8.narrow_i32x4_s i16x8.narrow_i32x4_u'),
  unary(0xfd87, 'i16x8.extend_low_i8x16_s i16x8.extend_high_i8x16_s'),
  unary(0xfd89, 'i16x8.extend_low_i8x16_u i16x8.extend_high_i8x16_u'),
  shift(0xfd8b, 'i16x8.shl i16x8.shr_s i16x8.shr_u'),
  binary(0xfd8e, 'i16x8.add i16x8.add_sat_s i16x8.add_sat_u i16x8.sub i16x8.sub_sat_s i16x8.sub_sat_u'),
  unary(0xfd94, 'f64x2.nearest'),
  binary(0xfd95, 'i16x8.mul i16x8.min_s i16x8.min_u i16x8.max_s i16x8.max_u - i16x8.avgr_u'),
  binary(0xfd9c, 'i16x8.extmul_low_i8x16_s i16x8.extmul_high_i8x16_s'),
  binary(0xfd9e, 'i16x8.extmul_low_i8x16_u i16x8.extmul_high_i8x16_u'),

  unary(0xfda0, 'i32x4.abs i32x4.neg'),
  test(0xfda3, 'i32x4.all_true i32x4.bitmask'),
  unary(0xfda7, 'i32x4.extend_low_i16x8_s i32x4.extend_high_i16x8_s'),
  unary(0xfda9, 'i32x4.extend_low_i16x8_u i32x4.extend_high_i16x8_u'),
  shift(0xfdab, 'i32x4.shl i32x4.shr_s i32x4.shr_u'),
  binary(0xfdae, 'i32x4.add - - i32x4.sub - - - i32x4.mul'),
  binary(0xfdb6, 'i32x4.min_s i32x4.min_u i32x4.max_s i32x4.max_u i32x4.dot_i16x8_s'),
  binary(0xfdbc, 'i32x4.extmul_low_i16x8_s i32x4.extmul_high_i16x8_s'),
  binary(0xfdbe, 'i32x4.extmul_low_i16x8_u i32x4.extmul_high_i16x8_u'),

  unary(0xfdc0, 'i64x2.abs i64x2.neg'),
  test(0xfdc3, 'i64x2.all_true i64x2.bitmask'),
  unary(0xfdc7, 'i64x2.extend_low_i32x4_s i64x2.extend_high_i32x4_s'),
  unary(0xfdc9, 'i64x2.extend_low_i32x4_u i64x2.extend_high_i32x4_u'),
  shift(0xfdcb, 'i64x2.shl i64x2.shr_s i64x2.shr_u'),
  binary(0xfdce, 'i64x2.add - - i64x2.sub - - - i64x2.mul'),
  binary(0xfdd6, 'i64x2.eq i64x2.ne i64x2.lt_s i64x2.gt_s i64x2.le_s i64x2.ge_s'),
  binary(0xfddc, 'i64x2.extmul_low_i32x4_s i64x2.extmul_high_i32x4_s'),
  binary(0xfdde, 'i64x2.extmul_low_i32x4_u i64x2.extmul_high_i32x4_u'),

  unary(0xfde0, 'f32x4.abs f32x4.neg - f32x4.sqrt'),
  binary(0xfde4, 'f32x4.add f32x4.sub f32x4.mul f32x4.div f32x4.min f32x4.max f32x4.pmin f32x4.pmax'),
  unary(0xfdec, 'f64x2.abs f64x2.neg - f64x2.sqrt'),
  binary(0xfdf0, 'f64x2.add f64x2.sub f64x2.mul f64x2.div f64x2.min f64x2.max f64x2.pmin f64x2.pmax'),
  unary(0xfdf8, 'i32x4.trunc_sat_f32x4_s i32x4.trunc_sat_f32x4_u'),
  unary(0xfdfa, 'f32x4.convert_i32x4_s f32x4.convert_i32x4_u'),
  unary(0xfdfc, 'i32x4.trunc_sat_f64x2_s_zero i32x4.trunc_sat_f64x2_u_zero'),
  unary(0xfdfe, 'f64x2.convert_low_i32x4_s f64x2.convert_low_i32x4_u'),
]
