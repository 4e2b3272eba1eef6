import { packArtifact } from '../protocol/hbc/artifact.ts'
import { echoManifest } from '../protocol/hbc/testing/artifacts.ts'
import { bodies, buildWasm, exportsOf, named, vector } from '../protocol/hbc/testing/wasm-builder.ts'

/** A guest that aborts with its input as the message. */
const wasm = buildWasm({
  1: vector(
    [0x60, 1, 0x7f, 1, 0x7f], // 0: (i32) -> i32
    [0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7e], // 1: (i32, i32, i32) -> i64
    [0x60, 2, 0x7f, 0x7f, 0], // 2: (i32, i32) -> ()
  ),
  2: vector([...named('hive'), ...named('abort'), 0, 2]),
  7: exportsOf(['memory', 2, 0], ['__alloc', 0, 1], ['__hive_entry', 0, 2]),
  // The input is at 1024; its place and length are the second and third parameter.
  10: bodies([0x41, 0x80, 0x08], [0x20, 1, 0x20, 2, 0x10, 0, 0x42, 0]),
})

/** An artifact whose function aborts with its input; another name makes it another module. */
export const abortingArtifact = (name: string) =>
  packArtifact({ ...echoManifest, name, functions: ['refuse'] }, wasm)
