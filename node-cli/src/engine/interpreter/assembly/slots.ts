/**
 * Operands of instructions. An instruction is a row of words: its code, then the places of its operands, which are bytes
 * from the frame pointer; a slot has 16 bytes. The first place is where the result goes, when there is one.
 */

// @ts-ignore: a decorator of the compiler
@inline export function put<T>(pc: u32, fp: u32, value: T): void {
  store<T>(fp + load<u32>(pc, 4), value)
}

// @ts-ignore: a decorator of the compiler
@inline export function first<T>(pc: u32, fp: u32): T {
  return load<T>(fp + load<u32>(pc, 4))
}

// @ts-ignore: a decorator of the compiler
@inline export function left<T>(pc: u32, fp: u32): T {
  return load<T>(fp + load<u32>(pc, 8))
}

// @ts-ignore: a decorator of the compiler
@inline export function right<T>(pc: u32, fp: u32): T {
  return load<T>(fp + load<u32>(pc, 12))
}

// @ts-ignore: a decorator of the compiler
@inline export function third<T>(pc: u32, fp: u32): T {
  return load<T>(fp + load<u32>(pc, 16))
}

/** Gas that falls due with an instruction: the upper half of its first word. */
// @ts-ignore: a decorator of the compiler
@inline export function cost(word: u32): i64 {
  return <i64>(word >> 16)
}

/** The addresses in the guest's memory from which an instruction loads, and to which it stores. */
// @ts-ignore: a decorator of the compiler
@inline export function loadPlace(pc: u32, fp: u32): u64 {
  return <u64>left<u32>(pc, fp) + <u64>load<u32>(pc, 12)
}

// @ts-ignore: a decorator of the compiler
@inline export function storePlace(pc: u32, fp: u32): u64 {
  return <u64>first<u32>(pc, fp) + <u64>load<u32>(pc, 12)
}

/** The one NaN, wherever an operation makes one. */
// @ts-ignore: a decorator of the compiler
@inline export function single(value: f32): f32 {
  return value == value ? value : reinterpret<f32>(0x7fc00000)
}

// @ts-ignore: a decorator of the compiler
@inline export function double(value: f64): f64 {
  return value == value ? value : reinterpret<f64>(0x7ff8000000000000)
}
