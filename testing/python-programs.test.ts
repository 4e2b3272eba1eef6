import { execFile } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { hashPayload, hashReceipt } from '../protocol/execution/index.ts'
import { json, type Reply, scriptedHub } from '../sdk/testing/scripted-hub.ts'
import { runProgram } from './node/package-calls.ts'

const folder = path.resolve(import.meta.dirname, '../examples/python')
const nobody = 'http://127.0.0.1:9'

/** Runs an example while no hub answers. */
const python = (script: string, ...args: string[]) =>
  runProgram('python3', [path.join(folder, script), ...args], folder, {
    ...{ ...process.env, HUB_URL: nobody, PYTHONDONTWRITEBYTECODE: '1' },
  })

test.each([
  ['run_task.py', 'PROJECT FUNCTION INPUT'],
  ['list_rounds.py', 'COUNT SIZE'],
  ['follow_events.py', 'TYPE COUNT'],
  ['verify_receipt.py', 'RECEIPT_HASH INPUT OUTPUT'],
  ['verify_webhook.py', 'SECRET ID TIMESTAMP SIGNATURE [NOW] < BODY'],
])('%s without arguments prints its usage, with exit code 2', (script, usage) => {
  expect(python(script)).toEqual({
    status: 2,
    stdout: '',
    stderr: `Usage: python3 ${script} ${usage}\n`,
  })
})

test('a hub that does not answer is reported in one line, with exit code 1', () => {
  const { status, stderr } = python('run_task.py', 'sample-echo', 'echo', '1')
  expect(stderr).toMatch(/^No hub answers on http:\/\/127\.0\.0\.1:9: .+\. Start one with: npm start\n$/)
  expect(status).toBe(1)
})

/** Runs an example against a hub of this process. @returns What it prints, errors included. */
const pythonAt = (hub: string, script: string, ...args: string[]) =>
  new Promise<string>((resolve) => {
    const env = { ...process.env, HUB_URL: hub, PYTHONDONTWRITEBYTECODE: '1' }
    const program = execFile('python3', [path.join(folder, script), ...args], { env }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    )
    program.stdin!.end('{}')
  })

test('a call is sent again after the answer of a proxy whose hub is away', async () => {
  const gone: Reply = (response) => response.writeHead(502).end('Bad Gateway')
  const page = { items: [{ round_id: 'r', state: 'finalized' }], next_cursor: null }
  await using server = await scriptedHub(gone, json(200, page))
  expect(await pythonAt(server.url, 'list_rounds.py', '1', '1')).toBe('r finalized\n')
})

test.each([
  ['a text, which the module gets as it is', '"5"', '5'],
  ['another value, which it gets as canonical JSON', '{"b":1,"a":"5"}', '{"a":"5","b":1}'],
])('the input of a receipt is compared: %s', async (_, input, bytes) => {
  const utf8 = (text: string) => new TextEncoder().encode(text)
  const receipt = {
    ...{ v: 1, module_address: `0x${'11'.repeat(32)}`, function: 'echo', gas_used: 1, success: true },
    ...{ input_hash: hashPayload(utf8(bytes)), output_hash: hashPayload(utf8('out')) },
    events_hash: `0x${'22'.repeat(32)}`,
  } as unknown as Parameters<typeof hashReceipt>[0]
  await using server = await scriptedHub(json(200, { receipt: { receipt } }))
  const verify = (given: string) =>
    pythonAt(server.url, 'verify_receipt.py', hashReceipt(receipt), given, 'out')
  expect(JSON.parse(await verify(input))).toEqual({ holds: true, problems: [] })
  expect(JSON.parse(await verify('"other"'))).toMatchObject({ problems: ['the input is another one'] })
})

test('events are followed over answers of a proxy whose hub is away', async () => {
  const gone: Reply = (response) => response.writeHead(502).end('Bad Gateway')
  const stream: Reply = (response) =>
    response
      .writeHead(200, { 'Content-Type': 'text/event-stream' })
      .end('id: 7\ndata: {"type":"round.finalized"}\n\n')
  await using server = await scriptedHub(gone, stream)
  expect(await pythonAt(server.url, 'follow_events.py', 'round.finalized', '1')).toBe(
    '{"type": "round.finalized"}\n',
  )
})

test.each(['v1,\u00e9', 'v1', 'nonsense'])(
  'a webhook with the signature %s is refused in one line',
  async (signature) => {
    const args = ['whsec_c2VjcmV0', 'msg_1', '1000', signature, '1000']
    expect(await pythonAt(nobody, 'verify_webhook.py', ...args)).toBe(
      'no signature of the message verifies\n',
    )
  },
)
