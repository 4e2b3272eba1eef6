import path from 'node:path'
import { expect, test } from 'vitest'
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
