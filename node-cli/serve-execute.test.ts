import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { hashBytes, utf8 } from '../protocol/encoding/index.ts'
import { hostileArtifacts } from '../protocol/hbc/testing/artifacts.ts'
import { artifactOf, collector, echo, spinner, talker } from '../testing/node/artifacts.ts'
import { bring, collecting, echoing, execute, problemsOf, spinning } from '../testing/node/execution-calls.ts'
import { newFolder, temporaryFolder } from '../testing/node/folders.ts'
import { nodectl } from '../testing/node/nodectl.ts'
import { sharedNode, startNodeHere } from '../testing/node/serving-node.ts'

const node = sharedNode()

describe('PUT /modules/:address', () => {
  test('201 if it is new, 200 if it is known', async () => {
    for (const [status, word] of [
      [201, 'stored'],
      [200, 'known'],
    ])
      expect(await bring(node(), echo)).toMatchObject({
        status,
        json: { manifest_address: echo.address, status: word },
      })
  })

  test('422 invalid_manifest if the artifact has another address', async () => {
    const reply = await node().call(`/modules/${spinner.address}`, { method: 'PUT', body: echo.bytes })
    expect(reply).toMatchObject({
      status: 422,
      json: { error: 'invalid_manifest', details: { reason: 'manifest_address', address: echo.address } },
    })
    expect((await execute(node(), spinning)).status).toBe(404)
  })

  test('422 invalid_manifest with the rule, for each artifact that breaks one', async () => {
    for (const { name, bytes, rule } of hostileArtifacts.slice(0, 20)) {
      const reply = await bring(node(), { address: echo.address, bytes })
      expect([name, problemsOf(reply)]).toEqual([
        name,
        { status: 422, error: 'invalid_manifest', problems: [['body', rule]] },
      ])
    }
  })

  test('400 for a malformed address, and for an empty body', async () => {
    const upper = await node().call(`/modules/${echo.address.toUpperCase()}`, {
      method: 'PUT',
      body: echo.bytes,
    })
    expect(problemsOf(upper)).toMatchObject({ status: 400, problems: [['address', 'invalid_value']] })
    const none = await bring(node(), { address: echo.address, bytes: new Uint8Array() })
    expect([none.status, none.json.error]).toEqual([400, 'bad_request'])
  })

  test('a module that was damaged on disk is not run, and uploading it again repairs it', async () => {
    const folder = newFolder()
    const first = await startNodeHere(folder)
    await bring(first, echo)
    await first.stop()
    const db = new DatabaseSync(path.join(folder, 'node.sqlite'))
    db.prepare('UPDATE modules SET hbc = ?').run(new Uint8Array(100))
    db.close()
    const second = await startNodeHere(folder)
    const refused = await execute(second, { ...echoing, input: '{}' })
    expect(refused).toMatchObject({
      status: 503,
      json: { error: 'unavailable', details: { reason: 'node_fault' }, message: /damaged/ },
    })
    expect((await bring(second, echo)).status).toBe(201)
    expect((await execute(second, { ...echoing, input: '{}' })).status).toBe(200)
  })
})

describe('POST /execute', () => {
  test('returns what nodectl run prints, with the events', async () => {
    await bring(node(), echo)
    const { status, json } = await execute(node(), { ...echoing, input: '{"msg":"hi"}' })
    expect([status, json]).toEqual([
      200,
      {
        success: true,
        output: '{"msg":"hi"}',
        error: null,
        gas_limit: 1_000_000,
        gas_used: 581,
        events: [{ name: 'echoed', data: { msg: 'hi' } }],
        receipt: {
          receipt: expect.objectContaining({
            receipt_hash: '0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6',
          }),
          node_id: node().node_id,
          public_key: node().public_key,
          signature: expect.stringMatching(/^0x[0-9a-f]{128}$/),
          timestamp: expect.any(Number),
        },
      },
    ])
  })

  test('its answer passes verify, and equals the answer of run', async () => {
    await bring(node(), echo)
    const { text } = await execute(node(), { ...echoing, input_b64: 'eyJhIjoxfQ==' })
    const file = path.join(temporaryFolder(), 'echo.hbc')
    writeFileSync(file, echo.bytes)
    const { code, stdout } = await nodectl(['verify', '-', file, '--input', '{"a":1}'], { input: utf8(text) })
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { holds: true }])
  })

  test('a function that fails is answered with 200 and its error', async () => {
    await bring(node(), spinner)
    const { status, json } = await execute(node(), { ...spinning, gas_limit: 1000 })
    expect([status, json]).toMatchObject([
      200,
      { success: false, output: null, error: 'out of gas', gas_used: 1000 },
    ])
  })

  test('refuses an invalid request, and names every wrong member', async () => {
    await bring(node(), echo)
    expect(problemsOf(await execute(node(), {}))).toEqual({
      status: 400,
      error: 'invalid_field',
      problems: [
        ['module', 'missing'],
        ['function', 'missing'],
      ],
    })
    const many = await execute(node(), {
      module: 'x',
      function: 1,
      input: 2,
      input_b64: '=',
      gas_limit: 0,
      round: {},
      more: 1,
    })
    expect(problemsOf(many)).toEqual({
      status: 400,
      error: 'invalid_field',
      problems: [
        ['more', 'unknown_key'],
        ['module', 'invalid_value'],
        ['function', 'invalid_value'],
        ['input', 'invalid_value'],
        ['input_b64', 'invalid_value'],
        ['gas_limit', 'invalid_value'],
        ['round', 'invalid_value'],
      ],
    })
    const other = await execute(node(), { module: echo.address, function: 'nope' })
    expect(problemsOf(other)).toMatchObject({ status: 400, problems: [['function', 'invalid_value']] })
    const absent = await execute(node(), { module: `0x${'12'.repeat(32)}`, function: 'f' })
    expect([absent.status, absent.json.error]).toEqual([404, 'not_found'])
    const large = await execute(node(), { ...echoing, input: 'x'.repeat(1_048_577) })
    expect([large.status, large.json]).toMatchObject([413, { error: 'too_large', message: /1048576 bytes/ }])
  })

  test('returns 1 MiB of output completely, even if JSON escapes each byte with six', async () => {
    await bring(node(), talker)
    const { json } = await execute(node(), { module: talker.address, function: 'f', gas_limit: 10_000_000 })
    expect(json.output).toBe('\u0001'.repeat(1_048_576))
  })

  test('output that is not UTF-8 fails the run, with a receipt that says so', async () => {
    const garbler = artifactOf(
      'garbler',
      '(i32.store8 (i32.const 1024) (i32.const 255)) (i64.const 0x40000000001)',
    )
    await bring(node(), garbler)
    const { json } = await execute(node(), { module: garbler.address, function: 'f' })
    expect(json).toMatchObject({ success: false, output: null, error: 'output is not valid UTF-8' })
    expect(json.receipt.receipt).toMatchObject({ success: false, output_hash: hashBytes(new Uint8Array()) })
  })

  test('concurrent runs of a module with storage are executed one after another', async () => {
    await bring(node(), collector)
    const replies = await Promise.all(Array.from({ length: 20 }, () => execute(node(), collecting)))
    const outputs = replies.map(({ json }) => json.output.length).toSorted((a, b) => a - b)
    expect(outputs).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  })
})
