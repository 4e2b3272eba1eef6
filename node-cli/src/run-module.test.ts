import path from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openArtifact } from '../../protocol/hbc/artifact.ts'
import { echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'
import * as testing from '../../testing/node/artifacts.ts'
import { temporaryFolder } from '../../testing/node/folders.ts'
import { closeThreads } from './engine/index.ts'
import { defaultProfile as profile } from './profile.ts'
import { type ModuleRun, runModule } from './run-module.ts'

const folder = temporaryFolder()
afterAll(closeThreads)

const opened = (bytes: Uint8Array): ModuleRun['artifact'] => ({ ...openArtifact(bytes), bytes })

const hiveCall = '(import "hive" "call" (func $call (param i32 i32 i32 i32 i32 i32) (result i64)))'

/** Calls `f` of the module its input names, itself for instance, until it is too deep, and answers the last code. */
const caller = opened(
  testing.artifactOf(
    'caller',
    `(local $answer i64)
   (local.set $answer (call $call (local.get 1) (local.get 2) (i32.const 8) (i32.const 1) (local.get 1) (local.get 2)))
   (if (result i64) (i64.ge_s (local.get $answer) (i64.const 0))
     (then (local.get $answer))
     (else
       (i64.store8 (i32.const 16) (i64.sub (i64.const 48) (local.get $answer)))
       (i64.const 0x1000000001)))`,
    `${hiveCall} (memory (export "memory") 1 4) (data (i32.const 8) "f")`,
  ).bytes,
)

const collector = opened(testing.collector.bytes)
const echo = opened(echoArtifact().bytes)
const itself = caller.manifestAddress

/** Runs whose outcome depends on nothing that is kept. */
const runs = {
  echo: { artifact: echo, functionName: 'echo', text: '{"a":1}' },
  'echo without gas': { artifact: echo, functionName: 'echo', text: '{"a":1}', gasLimit: 400 },
  'a trap': { artifact: echo, functionName: 'echo', text: 'no JSON' },
  itself: { artifact: caller, functionName: 'f', text: itself },
  'itself without gas': { artifact: caller, functionName: 'f', text: itself, gasLimit: 40_000 },
  nobody: { artifact: caller, functionName: 'f', text: `0x${'ab'.repeat(32)}` },
} as const
type RunName = keyof typeof runs | 'collect'

const names: readonly RunName[] = [...(Object.keys(runs) as (keyof typeof runs)[]), 'collect']
const engines = ['auto', 'native', 'pulley'] as const

async function receiptOf(name: RunName, engine: ModuleRun['engine'], dataDir: string | undefined) {
  const { artifact, functionName, text, ...more } =
    name === 'collect' ? { artifact: collector, functionName: 'f', text: '' } : runs[name]
  const input = new TextEncoder().encode(text)
  const run = { artifact, functionName, input, gasLimit: 1_000_000, engine, profile, dataDir, ...more }
  const { result, envelope } = await runModule(run)
  return {
    receipt: envelope.receipt,
    output: result.output === null ? null : Buffer.from(result.output).toString(),
  }
}

test('property: a receipt does not depend on what was run before, except for the storage of its module', async () => {
  const alone = new Map<RunName, Awaited<ReturnType<typeof receiptOf>>>()
  for (const name of names) alone.set(name, await receiptOf(name, 'auto', undefined))
  expect(alone.get('itself')!.output).toBe('5')
  expect(alone.get('nobody')!.output).toBe('1')

  const step = fc.record({
    name: fc.constantFrom(...names),
    engine: fc.constantFrom(...engines),
    kept: fc.boolean(),
  })
  let sequences = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const dataDir = path.join(folder, String(sequences++))
      let collected = 0
      for (const { name, engine, kept } of steps) {
        const ran = await receiptOf(name, engine, kept ? dataDir : undefined)
        if (name !== 'collect') expect(ran).toEqual(alone.get(name))
        else expect(ran.output).toBe('x'.repeat(kept ? ++collected : 1))
      }
    }),
    { numRuns: 25 },
  )
})
