import { guest } from '../../node-cli/src/engine/testing/guests.ts'
import { packArtifact } from '../../protocol/hbc/artifact.ts'
import { echoArtifact, echoManifest } from '../../protocol/hbc/testing/artifacts.ts'

/** An artifact under its address. */
export interface TestArtifact {
  bytes: Uint8Array
  address: string
}

/** A module of one function, `f`. */
export const artifactOf = (name: string, entry: string, more?: string): TestArtifact => {
  const wasm = more === undefined ? guest(entry) : guest(entry, more)
  const { bytes, manifestAddress } = packArtifact({ ...echoManifest, name, functions: ['f'] }, wasm)
  return { bytes, address: manifestAddress }
}

/** Answers its input with `echo`. */
export const echo: TestArtifact = { bytes: echoArtifact().bytes, address: echoArtifact().manifestAddress }

const collecting = [
  `(local $kept i64) (local $length i32)
   (local.set $kept (call $get (i32.const 8) (i32.const 1)))
   (local.set $length (i32.wrap_i64 (local.get $kept)))
   (memory.copy (i32.const 2048) (i32.wrap_i64 (i64.shr_u (local.get $kept) (i64.const 32))) (local.get $length))
   (i32.store8 (i32.add (i32.const 2048) (local.get $length)) (i32.const 120))
   (local.set $length (i32.add (local.get $length) (i32.const 1)))
   (call $set (i32.const 8) (i32.const 1) (i32.const 2048) (local.get $length))
   (i64.or (i64.shl (i64.const 2048) (i64.const 32)) (i64.extend_i32_u (local.get $length)))`,
  `(import "storage" "get" (func $get (param i32 i32) (result i64)))
   (import "storage" "set" (func $set (param i32 i32 i32 i32)))
   (memory (export "memory") 1 4) (data (i32.const 8) "k")`,
] as const

/** Adds a character to its stored text and answers the whole text, so that no two runs of it answer the same. */
export const collectorOf = (name: string): TestArtifact => artifactOf(name, ...collecting)
export const collector = collectorOf('collector')

/** Calls the collector and returns its answer. It stores nothing itself. */
export const employer = artifactOf(
  'employer',
  `(call $call (i32.const 64) (i32.const 66) (i32.const 8) (i32.const 1) (i32.const 0) (i32.const 0))`,
  `(import "hive" "call" (func $call (param i32 i32 i32 i32 i32 i32) (result i64)))
   (memory (export "memory") 1 4) (data (i32.const 8) "f") (data (i32.const 64) "${collector.address}")`,
)

/** Runs until its gas is gone. */
export const spinner = artifactOf('spinner', '(loop $again (br $again)) (i64.const 0)')

/** Takes long on any machine, since filling a mebibyte costs as much gas as adding two numbers. */
export const filler = artifactOf(
  'filler',
  '(loop $again (memory.fill (i32.const 65536) (i32.const 1) (i32.const 1048576)) (br $again)) (i64.const 0)',
  '(memory (export "memory") 20 20)',
)

/** Emits 64 events of 16 KiB and answers a mebibyte: more than a frame of the link carries. */
export const shouter = artifactOf(
  'shouter',
  `(local $left i32)
   (memory.fill (i32.const 65536) (i32.const 120) (i32.const 1048576))
   (memory.fill (i32.const 32768) (i32.const 120) (i32.const 16384))
   (i32.store8 (i32.const 32768) (i32.const 34))
   (i32.store8 (i32.const 49151) (i32.const 34))
   (local.set $left (i32.const 64))
   (loop $again
     (call $emit (i32.const 65536) (i32.const 1) (i32.const 32768) (i32.const 16384))
     (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
   (i64.or (i64.shl (i64.const 65536) (i64.const 32)) (i64.const 1048576))`,
  `(import "hive" "emit" (func $emit (param i32 i32 i32 i32)))
   (memory (export "memory") 20 20)`,
)

/** Answers a mebibyte of a character that JSON writes with six. */
export const talker = artifactOf(
  'talker',
  `(memory.fill (i32.const 65536) (i32.const 1) (i32.const 1048576))
   (i64.or (i64.shl (i64.const 65536) (i64.const 32)) (i64.const 1048576))`,
  '(memory (export "memory") 20 20)',
)
