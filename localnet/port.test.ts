import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { pickPort, probePort } from './port.ts'

const picks = 300

const picking = `
  const { pickPort } = await import(${JSON.stringify(new URL('port.ts', import.meta.url).href)})
  const ports = []
  while (ports.length < ${picks}) ports.push(await pickPort())
  console.log(JSON.stringify(ports))
  process.stdin.resume()`

/** The ports that another process picks, which runs until the test ends. */
async function pickedByAnother(): Promise<number[]> {
  const child = spawn('node', ['--input-type=module', '--eval', picking], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return JSON.parse(line)
}

test('two processes that pick ports at once never pick the same port', async () => {
  const picked = await Promise.all([pickedByAnother(), pickedByAnother()])
  expect(new Set(picked.flat()).size).toBe(2 * picks)
})

test('picked consecutive ports are all free', async () => {
  const first = await pickPort(7)
  const ports = Array.from({ length: 7 }, (_, index) => first + index)
  expect(await Promise.all(ports.map(probePort))).toEqual(ports)
})
