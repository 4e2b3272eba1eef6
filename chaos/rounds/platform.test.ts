import { expect, test } from 'vitest'
import { startRoundsNetwork } from './network.ts'
import { finishTasks } from './tasks.ts'

test('tasks become final under the limits of Cloudflare, even if a deployment closes every socket', async () => {
  const platform = { seed: 1 }
  const network = await startRoundsNetwork({ projects: 1, slots: 16, platform, onProgress: () => {} })
  try {
    const finishing = finishTasks(network, {
      label: 'limited',
      tasks: 12,
      atOnce: 6,
      patienceMs: 120_000,
    })
    const deployed = fetch(new URL('/platform/deployment', network.origin), {
      method: 'POST',
      signal: AbortSignal.timeout(60_000),
    })
    const { objects } = (await (await deployed).json()) as { objects: number }
    expect(objects).toBeGreaterThan(network.miners.length)
    for (const { task, input } of await finishing)
      expect(task).toMatchObject({ status: 'finalized', output: input })
  } finally {
    await network.stop()
  }
})
