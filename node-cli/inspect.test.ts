import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { packArtifact } from '../protocol/hbc/artifact.ts'
import {
  echoAddress,
  echoArtifact,
  echoManifest,
  echoWasm,
  hostileArtifacts,
} from '../protocol/hbc/testing/artifacts.ts'
import { bodies, buildWasm } from '../protocol/hbc/testing/wasm-builder.ts'
import { writeContainer } from '../protocol/hbc/zip.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { failedWith, nodectl } from '../testing/node/nodectl.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'

const folder = temporaryFolder()
const write = (name: string, bytes: Uint8Array): string => {
  const file = path.join(folder, name)
  writeFileSync(file, bytes)
  return file
}

const hostile = (name: string) => hostileArtifacts.find((one) => one.name === name)!.bytes

describe('inspect', () => {
  test('shows manifest, address and functions, from a file and from standard input', async () => {
    const { bytes } = echoArtifact()
    const expected = {
      manifest: { ...echoManifest, manifest_address: echoAddress },
      manifest_address: echoAddress,
      functions: [
        { func_id: 0, name: 'echo', wasm_bytes: echoWasm.length, abi_valid: true, abi_error: null },
      ],
      abi_valid: true,
      abi_error: null,
      stateless: true,
      imports: ['hive.emit'],
    }
    const fromFile = await nodectlHere(['inspect', write('echo.hbc', bytes)])
    expect([fromFile.code, fromFile.stderr, JSON.parse(fromFile.stdout)]).toEqual([0, '', expected])
    const fromInput = await nodectl(['inspect', '-'], { input: bytes })
    expect(fromInput.stdout).toBe(fromFile.stdout)
  })

  test('--address prints nothing but the address', async () => {
    const { bytes } = echoArtifact()
    expect(await nodectlHere(['inspect', '--address', write('echo.hbc', bytes)])).toEqual({
      code: 0,
      stdout: `${echoAddress}\n`,
      stderr: '',
    })
  })

  test('a broken container or manifest is an error of one line that names the rule', async () => {
    for (const name of ['a third entry', 'a wrong CRC', 'unsorted functions', 'a wrong address']) {
      const { code, stdout, stderr } = await nodectlHere(['inspect', write('broken.hbc', hostile(name))])
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^Error: [^\n]+broken\.hbc is not a valid \.hbc artifact: [^\n]+\n$/)
    }
  })

  test.each([
    [
      'no engine would run',
      packArtifact(echoManifest, buildWasm({ 10: bodies([0x41, 0], [0x41, 0]) })).bytes,
      'i64',
    ],
    ['breaks the ABI', hostile('a WASI import'), 'WASI is not available to guests'],
  ])('a module that %s is shown, with the reason', async (_, bytes, reason) => {
    const { code, stdout, stderr } = await nodectlHere(['inspect', write('module.hbc', bytes)])
    expect([code, stderr]).toEqual([1, ''])
    const abi = { abi_valid: false, abi_error: expect.stringContaining(reason) }
    expect(JSON.parse(stdout)).toMatchObject({ functions: [abi], ...abi, stateless: null })
  })

  test('the content of an artifact cannot control the terminal', async () => {
    const steering = '\u001b[2J\u007f\u009b31m\u202e\u2066\u2028'
    const named = packArtifact({ ...echoManifest, name: steering, description: steering }, echoWasm)
    const shown = await nodectlHere(['inspect', write('named.hbc', named.bytes)])
    expect(shown.code).toBe(0)
    expect(shown.stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028]/u)
    expect(JSON.parse(shown.stdout).manifest).toMatchObject({ name: steering, description: steering })

    const manifest = new TextEncoder().encode(
      JSON.stringify({
        ...echoManifest,
        [`${steering}\nError: `]: 1,
        ['k'.repeat(20_000)]: 1,
        functions: [steering],
      }),
    )
    const keyed = write('keyed.hbc', writeContainer({ manifest, wasm: echoWasm }))
    const refused = await nodectlHere(['inspect', keyed])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^Error: [^\p{Cc}\p{Bidi_Control}\u2028]+\n$/u)
    expect(refused.stderr).toContain('\\u001b[2J\\u007f\\u009b31m\\u202e\\u2066\\u2028\\u000aError: ')
    expect(refused.stderr.length).toBeLessThan(5000)
  })

  test('a file that is too large or missing, or a directory, is an error of one line', async () => {
    const large = write('large.hbc', new Uint8Array(16 * 1024 * 1024 + 1))
    for (const [file, message] of [
      [large, 'is larger than 16777216 bytes'],
      [path.join(folder, 'missing.hbc'), 'there is no such file'],
      [folder, 'it is a directory'],
    ] as const)
      expect(await nodectlHere(['inspect', file])).toEqual(
        failedWith(expect.stringMatching(new RegExp(`^Error: .*${message}\n$`))),
      )
  })
})
