import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { HonoRequest } from 'hono/request'
import { describe, expect, test } from 'vitest'
import { base64ToBytes } from '../../protocol/encoding/index.ts'
import { type HubContext, HubVariables } from '../context.ts'
import type { ApiError } from '../errors.ts'
import { readBase64Body } from './base64-body.ts'
import { readBody } from './body.ts'

const utf8 = new TextEncoder()

/** A request whose body arrives in these pieces; `asked` tells how much room was offered for each. */
function arriving(pieces: Iterable<Uint8Array>, headers: Record<string, string> = {}) {
  const asked: number[] = []
  const rest = pieces[Symbol.iterator]()
  const body = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const view = controller.byobRequest?.view as Uint8Array
      asked.push(view.byteLength)
      const { value, done } = rest.next()
      if (done) {
        controller.close()
        controller.byobRequest?.respond(0)
        return
      }
      view.set(value)
      controller.byobRequest?.respond(value.byteLength)
    },
  })
  const request = new Request('http://hub/thing', { method: 'POST', body, headers })
  const c: HubContext = {
    req: new HonoRequest(request, '/thing'),
    env,
    executionCtx: createExecutionContext(),
    var: new HubVariables(env, () => 'first-primary'),
    read: () => Promise.reject(new Error('reads nothing else')),
  }
  return { c, asked }
}

function* split(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  let turn = 0
  for (let at = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!
    yield bytes.subarray(at, at + size)
    at += size
  }
}

const limits = { bodyBytesMax: 200_000, bytesMax: 100_000 }
async function read(text: string, sizes: readonly number[] = [65_536]) {
  const { c } = arriving(split(utf8.encode(text), sizes))
  const { json, bytes } = await readBase64Body(c, 'data', limits)
  return { json: new TextDecoder().decode(json), bytes: bytes && [...bytes] }
}

const codeOf = (error: ApiError) => [error.status, error.code]

describe('a body that announces its length', () => {
  test('is read in pieces of 64 KiB; the buffer does not exceed the announced length', async () => {
    const piece = new Uint8Array(65_536).fill(7)
    const size = 64 * piece.length
    const { c, asked } = arriving(split(new Uint8Array(size).fill(7), [piece.length]), {
      'Content-Length': String(size),
    })
    const body = await readBody(c, size)
    expect(body.length).toBe(size)
    expect(body.every((byte) => byte === 7)).toBe(true)
    expect(Math.max(...asked)).toBe(piece.length)
    // The buffer grows with the bytes that arrived, up to the announced length.
    expect(body.buffer.byteLength).toBe(size)
  })

  test('is read with a buffer of one byte more than its length if it is small', async () => {
    const { c, asked } = arriving([utf8.encode('{}')], { 'Content-Length': '2' })
    expect(await readBody(c, 1000)).toEqual(utf8.encode('{}'))
    expect(asked[0]).toBe(3)
  })
})

describe('readBase64Body', () => {
  test('removes the member from the body and decodes it', async () => {
    expect(await read('{"a":[1,{"data":"AA=="}],"data" : "AAEC","b":"data"}')).toEqual({
      json: '{"a":[1,{"data":"AA=="}],"data" : "","b":"data"}',
      bytes: [0, 1, 2],
    })
  })

  test('property: decodes a body that arrives in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        fc.constantFrom<(text: string) => string>(
          (text) => text,
          (text) => text.replaceAll('/', '\\/'),
          (text) => text.replaceAll('+', '\\u002B').replaceAll('=', '\\u003d'),
        ),
        fc.string(),
        async (bytes, sizes, written, other) => {
          const text = written(Buffer.from(bytes).toString('base64'))
          const beside = JSON.stringify({ '\\"data': other }).slice(1)
          expect(await read(`{"data":"${text}",${beside}`, sizes)).toEqual({
            json: `{"data":"",${beside}`,
            bytes: [...bytes],
          })
        },
      ),
    )
  })

  test('property: accepts and refuses the same texts as base64ToBytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('A', 'B', '=', '/', '-', ' ', 'é'), maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (text, size) => {
          const expected = base64ToBytes(text)
          expect((await read(`{"data":"${text}"}`, [size])).bytes).toEqual(expected && [...expected])
        },
      ),
    )
  })

  test.each([
    ['a backslash', '{"data":"AA\\\\=="}'],
    ['an incomplete escape', '{"data":"AAA\\u00"}'],
    ['an escaped character that is not base64', '{"data":"AAA\\u0000"}'],
    ['something after the padding', '{"data":"AA==AAAA"}'],
    ['padding in the middle of pieces', '{"data":"AA==\\u0041AAA"}'],
  ])('refuses %s', async (_, text) => {
    expect((await read(text, [3])).bytes).toBeNull()
    expect((await read(text)).bytes).toBeNull()
  })

  test.each([
    ['the member is not a string', '{"data":[1]}'],
    ['the name of the member contains an escape', '{"d\\u0061ta":"AAEC"}'],
    ['the member is nested', '{"a":{"data":"AAEC"}}'],
    ['the member is missing', '{}'],
    ['the body is empty', ''],
  ])('leaves the body unchanged if %s', async (_, text) => {
    expect(await read(text, [2])).toEqual({ json: text, bytes: undefined })
  })

  test('413 too_large: the decoded bytes, the other members or the whole body exceed their limit', async () => {
    const large = (of: string) => read(of, [50_000]).catch(codeOf)
    const tooLarge = [413, 'too_large']
    expect((await read(`{"data":"${'A'.repeat(133_332)}"}`, [50_000])).bytes).toHaveLength(99_999)
    expect(await large(`{"data":"${'A'.repeat(133_340)}"}`)).toEqual(tooLarge)
    expect(await large(`{"other":"${'A'.repeat(70_000)}"}`)).toEqual(tooLarge)
    expect(await large(`{"data":"${'\\u0041'.repeat(33_334)}"}`)).toEqual(tooLarge)
  })
})
