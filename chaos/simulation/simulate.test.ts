import path from 'node:path'
import { expect, test } from 'vitest'
import { runInProcess } from '../harness/process.ts'
import type { NetworkMessage } from '../harness/scenarios.ts'

/** In a process of its own, whose clock and runtime are the simulated ones. */
async function simulate(first: number, length: number): Promise<NetworkMessage | undefined> {
  const program = path.join(import.meta.dirname, '../network-process.ts')
  const messages: NetworkMessage[] = []
  await runInProcess(program, { kind: 'simulate', first, length }, (message) => messages.push(message))
  return messages.at(-1)
}

test('40 simulated scenarios of faults keep all rules, and the same seeds give the same run', async () => {
  const [one, other] = await Promise.all([simulate(1, 40), simulate(1, 40)])
  expect(one).toMatchObject({ result: { scenarios: 40, figures: { faults: { crash: expect.any(Number) } } } })
  expect(other).toEqual(one)
})
