import { describe, expect, test } from 'vitest'
import { signIn } from '../test/callers.ts'
import { bodyOf, client, expectRefusal } from '../test/client.ts'
import { createDeveloper, manifestOf, uploadModule } from '../test/project.ts'

const json = { 'Content-Type': 'application/json' }
/** As many members as a body of 1 MiB holds, by the shortest keys. */
const many = 130_000
const members = (count: number) => Array.from({ length: count }, (_, i) => `"${shortKey(i)}":0`).join()

/** The numbers from 0 on, in the characters that a key may hold as they are. */
function shortKey(index: number): string {
  const characters =
    "!#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"
  const { length } = characters
  return (index < length ? '' : shortKey(Math.floor(index / length) - 1)) + characters[index % length]
}
const zeros = (count: number) => `[${'0,'.repeat(count)}0]`

/** Sends a body as text: it is written faster than a value of that size is encoded. */
const send = (token: string | undefined, method: string, path: string, body: string) =>
  client(token === undefined ? {} : { token }).fetch(path, { method, headers: json, body })

const requireSmall = (text: string) => expect(text.length).toBeLessThan(64 * 1024)

describe('problems of a manifest', () => {
  test.each([
    ['5,000 floats under a key of 20,000 characters', 20_000, 5_000],
    ['9,000 floats under a key of 80,000 characters', 80_000, 9_000],
  ])('%s make one problem with a truncated path', async (_, keyLength, floats) => {
    const { token } = await signIn()
    const body = `{"manifest":{"${'k'.repeat(keyLength)}":[${'1.5,'.repeat(floats)}1.5]}}`
    const response = await send(token, 'POST', '/v1/developers/projects/prepare', body)
    const text = await response.text()
    requireSmall(text)
    expect(response.status).toBe(200)
    const { problems } = JSON.parse(text) as { problems: { path: string; code: string }[] }
    const long = problems.filter(({ path }) => path.startsWith('k'))
    expect(long.map(({ path, code }) => [path, code])).toEqual([
      [`${'k'.repeat(200)}…`, 'invalid_manifest'],
      [`${'k'.repeat(200)}…`, 'unknown_key'],
    ])
  })

  test('are limited to 100', async () => {
    const { token } = await signIn()
    const body = `{"manifest":{"numbers":[${'1.5,'.repeat(4_000)}1.5],${members(4_000)}}}`
    const response = await send(token, 'POST', '/v1/developers/projects/prepare', body)
    const text = await response.text()
    requireSmall(text)
    expect(JSON.parse(text).problems).toHaveLength(100)
  })

  test('stay below 64 KiB for 64 functions that the module does not have', async () => {
    const ada = await createDeveloper()
    const worker = await uploadModule(ada)
    const functions = Array.from({ length: 64 }, (_, i) => `absent_${i}`)
    const manifest = manifestOf(ada, { ...worker, functions })
    const response = await ada.client.post('/v1/developers/projects/prepare', { manifest })
    const text = await response.text()
    requireSmall(text)
    const { problems } = JSON.parse(text) as { problems: { path: string; message: string }[] }
    expect(problems).toHaveLength(64)
    expect(problems[0]?.message).toMatch(
      new RegExp(`^Found .*\\. Write one of ${worker.functions.join(', ')}\\.$`),
    )
  })
})

describe('a body of many values is 400, not 500', () => {
  test('a sign-in text of 148,000 resource lines', async () => {
    const { address } = await signIn()
    const { message } = await bodyOf(client().post('/v1/auth/nonce', { address, domain: 'localhost:8787' }))
    const long = `${message}\nResources:${'\n- a:b'.repeat(140_000)}`
    const body = JSON.stringify({ message: long, signature: `0x${'00'.repeat(65)}` })
    await expectRefusal(send(undefined, 'POST', '/v1/auth/siwe', body), '400 invalid_field', {
      details: { problems: [{ path: 'message', message: 'must be at most 4096 characters long' }] },
    })
  })

  test.each([
    ['PUT', '/v1/developers/me', `{${members(many)}}`],
    ['PUT', '/v1/developers/me', `{"display_name":"Ada","social":{${members(many)}}}`],
    ['PUT', '/v1/me/preferences', `{${members(many)}}`],
    ['PUT', '/v1/me/preferences', `{"notifications":{${members(many)}}}`],
    ['PUT', '/v1/me/preferences', `{"watchlist":${zeros(300_000)}}`],
    ['POST', '/v1/developers/api-keys', `{"name":"a","project_ids":${zeros(300_000)}}`],
    ['POST', '/v1/developers/me/drafts', `{"data":{"zeros":${zeros(300_000)}}}`],
    ['POST', '/v1/developers/projects', `{"manifest":{},${members(many)}}`],
  ])('%s %s, case %#', async (method, path, body) => {
    const { token } = await signIn()
    const response = await send(token, method, path, body)
    const text = await response.text()
    requireSmall(text)
    expect([response.status, JSON.parse(text)]).toMatchObject([
      400,
      {
        error: 'bad_request',
        message: expect.stringMatching(/^The body holds more than \d+ values/),
        details: { reason: 'too_many_values' },
      },
    ])
  })

  test('a draft may hold any number of values within its size limit', async () => {
    const { token } = await signIn()
    const draft = (count: number) =>
      send(token, 'POST', '/v1/developers/me/drafts', `{"data":{"":${zeros(count)}}}`)
    expect((await draft(131_000)).status).toBe(201)
    await expectRefusal(draft(131_072), '413 too_large')
  })
})

describe('problems of a body', () => {
  test('are limited to 100, each with a truncated path', async () => {
    const { token } = await signIn()
    const social = Array.from({ length: 5_000 }, (_, i) => `"${'K'.repeat(100)}${i}":0`).join()
    const body = `{"display_name":"Ada","social":{"${'K'.repeat(20_000)}":0,${social}}}`
    const response = await send(token, 'PUT', '/v1/developers/me', body)
    const text = await response.text()
    requireSmall(text)
    expect(response.status).toBe(400)
    const { problems } = JSON.parse(text).details as { problems: { path: string }[] }
    expect(problems).toHaveLength(100)
    expect(problems[0]?.path).toBe(`social.${'K'.repeat(193)}…`)
  })
})
