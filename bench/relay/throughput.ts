/**
 * How many signed actions a second one relayer brings onto a chain: `npm run bench -- relay [owners]`. Owners post one
 * registration each, all at once, to the route in workerd, on a chain of its own. A tenth would revert, and ten post
 * theirs 50 times. Processor time of workerd is shown besides, which other programs on the machine do not change.
 */
import { cpus } from 'node:os'
import { startRelayerNetwork } from '../../testing/relayer-network.ts'
import { relayOfOwners } from '../../testing/relaying-owners.ts'
import { cpuMs, ownWorkerds } from '../../testing/workerd.ts'
import { median, quantile } from '../result.ts'

const owners = Number(process.argv[2] ?? 500)
const refused = owners / 10

const chains: Record<string, string[]> = {
  'a block per transaction': [],
  'a block per second': ['--block-time', '1'],
}

console.log(`${owners} owners at once, ${cpus().length} × ${cpus()[0]?.model}`)
for (const [name, anvilFlags] of Object.entries(chains)) {
  const { latencies, answeredMs, minedMs, ...facts } = await relayOfOwners({
    owners,
    refused,
    repeated: 10,
    times: 50,
    anvilFlags,
  })
  const accepted = facts.answers[202] ?? 0
  console.log(name, {
    ...facts,
    requests: latencies.length,
    accepted_per_second: Math.round((accepted * 1_000) / answeredMs),
    mined_per_second: Math.round((accepted * 1_000) / minedMs),
    answer_ms_p50: Math.round(median(latencies)),
    answer_ms_p99: Math.round(quantile(latencies, 0.99)),
  })
}

/** The same without the route: 64 at a time, straight to the relayer. */
const atOnce = 64
const network = await startRelayerNetwork({ vars: { RELAYER_TICK_MS: '200', RELAYER_STUCK_MS: '10000' } })
try {
  const waiting = Array.from({ length: owners }, () => network.action())
  const workerds = ownWorkerds()
  const cpuBefore = cpuMs(workerds)
  const startedMs = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let request = waiting.shift(); request; request = waiting.shift()) {
        const { status } = await network.relayer.relay(request)
        if (status !== 'accepted') throw new Error(status)
      }
    }),
  )
  const seconds = (performance.now() - startedMs) / 1_000
  while ((await network.relayer.mined()) < owners) await new Promise((resolve) => setTimeout(resolve, 10))
  const minedSeconds = (performance.now() - startedMs) / 1_000
  console.log('the relayer alone', {
    accepted_per_second: Math.round(owners / seconds),
    mined_per_second: Math.round(owners / minedSeconds),
    cpuMs: cpuMs(workerds) - cpuBefore,
  })
} finally {
  await network.stop()
}
