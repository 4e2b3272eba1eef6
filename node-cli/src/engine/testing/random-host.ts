import type { Random } from './random.ts'

/** The address random modules go by, which they call now and then themselves. */
export const randomModuleAddress = `0x${'a7'.repeat(32)}`

export const hostImports = `
  (import "hive" "call" (func $call (param i32 i32 i32 i32 i32 i32) (result i64)))
  (import "hive" "emit" (func $emit (param i32 i32 i32 i32)))
  (import "hive" "abort" (func $abort (param i32 i32)))
  (import "storage" "get" (func $get (param i32 i32) (result i64)))
  (import "storage" "set" (func $set (param i32 i32 i32 i32)))
  (import "storage" "del" (func $del (param i32 i32)))
  (import "console" "log" (func $log (param i32 i32)))
  (import "crypto" "hash" (func $hash (param i32 i32) (result i64)))
  (import "env" "abort" (func $envAbort (param i32 i32 i32 i32)))`

/** Texts the host is given: names, JSON, an address, a function's name. They may be written over before. */
export const hostData = `
  (data (i32.const 512) "key") (data (i32.const 520) "{\\22a\\22:1}")
  (data (i32.const 528) "${randomModuleAddress}") (data (i32.const 600) "f")`

/** Functions that end in one of the host, of both forms. */
export const hostFunctions = `
  (type $two (func (param i32 i32) (result i64)))
  (func $hashLast (param i32 i32) (result i64) (return_call $hash (local.get 0) (local.get 1)))
  (func $logLast (param i32 i32) (return_call $log (local.get 0) (local.get 1)))`

/** One call of the host as a statement, most of the time one that it accepts. */
export function hostCall(random: Random): string {
  const at = () => `(i32.const ${random.chance(90) ? random.pick([512, 520, 0, 100]) : random.next() | 0})`
  const length = (usual: readonly number[]) =>
    `(i32.const ${random.chance(95) ? random.pick(usual) : random.next() | 0})`
  const key = () => `(i32.const 512) ${length([1, 2, 3, 8])}`
  switch (random.below(12)) {
    case 0:
    case 1:
      return `(call $emit (i32.const 512) ${length([3, 1])} (i32.const 520) ${length([7, 7, 7, 6])})`
    case 2:
    case 3:
      return `(global.set $gl (call $get ${key()}))`
    case 4:
    case 5:
      return `(call $set ${key()} ${at()} ${length([0, 1, 16, 300])})`
    case 6:
      return `(call $del ${key()})`
    case 7:
      return `(call $log (i32.const 520) ${length([1, 7])})`
    case 8:
      return `(global.set $gl (call $hash ${at()} ${length([0, 3, 64, 1000])}))`
    case 9:
      return random.chance(50)
        ? `(global.set $gl (call $hashLast ${key()}))`
        : `(call $logLast (i32.const 512) (i32.const 3))`
    case 10:
      return random.chance(20)
        ? random.pick([
            '(call $abort (i32.const 512) (i32.const 3))',
            '(call $envAbort (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 2))',
          ])
        : '(nop)'
    default:
      return `(global.set $gl (call $call (i32.const 528) (i32.const ${random.chance(95) ? 66 : 65})
        (i32.const ${random.chance(95) ? 600 : 512}) (i32.const 1) (i32.const 512) ${length([0, 0, 3])}))`
  }
}
