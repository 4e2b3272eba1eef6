/**
 * How many actions a second one relayer carries onto a chain: `node scripts/nx.mjs node bench/relay/throughput.ts`.
 * 500 owners post one action each, 64 at a time, to a hub in workerd on a chain of its own.
 */
import { cpus } from 'node:os'
import { startRelayerNetwork } from '../../localnet/testing/relayer-network.ts'

const owners = 500
const atOnce = 64

const chains: Record<string, string[]> = {
  'a block per transaction': [],
  'a block per second': ['--block-time', '1'],
}

async function measure(anvilFlags: string[]) {
  const network = await startRelayerNetwork({
    anvilFlags,
    vars: { RELAYER_TICK_MS: '200', RELAYER_STUCK_MS: '10000' },
  })
  try {
    const requests = Array.from({ length: owners }, (_, owner) => network.action({ lane: `owner ${owner}` }))
    const latencies: number[] = []
    const startedMs = performance.now()
    const waiting = [...requests]
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let request = waiting.shift(); request; request = waiting.shift()) {
          const postedMs = performance.now()
          const { status } = await network.relayer.relay(request)
          if (status !== 'accepted') throw new Error(status)
          latencies.push(performance.now() - postedMs)
        }
      }),
    )
    const acceptedMs = performance.now() - startedMs
    while ((await network.relayer.mined()) < owners) await new Promise((resolve) => setTimeout(resolve, 10))
    const minedMs = performance.now() - startedMs
    while ((await network.relayer.health()).open > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    const finalMs = performance.now() - startedMs
    latencies.sort((a, b) => a - b)
    const perSecond = (ms: number) => Math.round((owners * 1000) / ms)
    return {
      accepted_per_second: perSecond(acceptedMs),
      mined_per_second: perSecond(minedMs),
      final_per_second: perSecond(finalMs),
      answer_ms_p50: Math.round(latencies[Math.floor(owners * 0.5)] ?? 0),
      answer_ms_p99: Math.round(latencies[Math.floor(owners * 0.99)] ?? 0),
    }
  } finally {
    await network.stop()
  }
}

console.log(`${owners} owners, ${atOnce} at a time, ${cpus().length} × ${cpus()[0]?.model}`)
for (const [name, flags] of Object.entries(chains)) console.log(name, JSON.stringify(await measure(flags)))
