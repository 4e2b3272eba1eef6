/**
 * How many signed actions a second one relayer carries onto a chain: `npm run bench:relay -- [owners]`. Owners post one
 * registration each, all at once, to the route in workerd, on a chain of its own. A tenth would revert, and ten post
 * theirs 50 times.
 */
import { cpus } from 'node:os'
import { relayOfOwners } from '../../localnet/testing/relaying-owners.ts'

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
  const quantile = (share: number) => Math.round(latencies[Math.floor(latencies.length * share)] ?? 0)
  const accepted = facts.answers[202] ?? 0
  console.log(name, {
    ...facts,
    requests: latencies.length,
    accepted_per_second: Math.round((accepted * 1_000) / answeredMs),
    mined_per_second: Math.round((accepted * 1_000) / minedMs),
    answer_ms_p50: quantile(0.5),
    answer_ms_p99: quantile(0.99),
  })
}
