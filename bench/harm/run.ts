/**
 * What wallets that want to harm cost the others, and what they leave: `npm run bench -- harm [seconds] [wallets]`. Writes
 * bench/harm/result.json; exits 1 when more was answered or is left than the limits say. Linux only, it reads /proc.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { makeSample } from '../../localnet/sample/make.ts'
import { startTemporaryNetwork, type TemporaryNetwork } from '../../localnet/temporary-network.ts'
import { cpuMs, ownWorkerds } from '../../localnet/testing/workerd.ts'
import { echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'
import { readNetwork } from '../../tools/client/network.ts'
import type { Attack } from './attack.ts'
import { findBounds } from './bounds.ts'
import type { Target } from './calls.ts'
import { whatIsKept } from './leftovers.ts'
import { type LoadResult, send } from './load.ts'
import { takeTurns } from './others.ts'
import { describe, type HarmResult, latencyOf, left, statusesOf, type Use } from './report.ts'
import { signedInWallets } from './wallets.ts'

const seconds = Number(process.argv[2] ?? 600)
const walletCount = Number(process.argv[3] ?? 1000)
/** More than the limits of one address allow, so that they are what counts. */
const attackRate = Number(process.env.RATE ?? 150)
const peopleCount = 20
const peopleRate = 20
const attacker = '198.51.100.7'

/** In memory where there is a folder for it: a disk would be slower than the hub, and thousands of objects have a file each. */
const memory = '/dev/shm'
const folder = mkdtempSync(path.join(existsSync(memory) ? memory : tmpdir(), 'bench-harm-'))
const statePath = path.join(folder, 'storage')
const network = await startTemporaryNetwork(folder, {
  statePath,
  callersNameAddress: true,
  // As a deployment has them.
  vars: { RATE_LIMIT_MULTIPLIER: '1', FAUCET_WALLETS_PER_ADDRESS: '3' },
})
try {
  const result = await measure(network)
  writeFileSync('bench/harm/result.json', `${JSON.stringify(result, null, 2)}\n`)
  console.log(describe(result))
  const broken = result.bounds.filter(({ measured, allowed }) => measured > allowed)
  for (const { what, measured, allowed } of broken) console.error(`${what}: ${measured}, allowed ${allowed}`)
  if (broken.length > 0) process.exitCode = 1
} finally {
  await network.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measure({ url, hub, rpcUrl, contracts }: TemporaryNetwork): Promise<HarmResult> {
  const { profile } = await readNetwork(url)
  const { projectId } = await makeSample({
    hub: url,
    rpcUrl,
    contracts,
    devicesFolder: path.join(folder, 'devices'),
  })
  const people = (await signedInWallets(hub, profile, peopleCount)).map(({ token }, index) => ({
    address: `10.20.0.${index + 1}`,
    token,
  }))
  const wallets = await signedInWallets(hub, profile, walletCount)
  const target: Target = {
    profile,
    host: new URL(url).host,
    projectId,
    worker: echoArtifact('sample_echo').manifestAddress,
    contracts,
  }
  const workerds = ownWorkerds()
  const useHub = async (forSeconds: number): Promise<Use> => {
    const before = cpuMs(workerds)
    const startedMs = performance.now()
    const load = await send({
      origin: url,
      rate: peopleRate,
      seconds: forSeconds,
      underWayMax: 500,
      next: takeTurns(people, projectId),
    })
    const seconds = (performance.now() - startedMs) / 1000
    return { ...latencyOf(load), cpuMsPerSecond: Math.round((cpuMs(workerds) - before) / seconds) }
  }

  // What is compiled and loaded once is no part of any answer.
  await useHub(5)
  console.error(`… ${peopleCount} people without the attack`)
  const without = await useHub(Math.min(60, seconds))
  const before = await whatIsKept(hub, statePath, rpcUrl)
  console.error(`… ${walletCount} wallets of one address attack for ${seconds} s`)
  const attack: Attack = { origin: url, address: attacker, rate: attackRate, seconds, wallets, target }
  const [during, attacked] = await Promise.all([useHub(seconds), attackWith(attack)])
  const after = await whatIsKept(hub, statePath, rpcUrl)
  return {
    date: new Date().toISOString().slice(0, 10),
    seconds,
    wallets: walletCount,
    attackCallsPerSecond: attackRate,
    people: peopleCount,
    others: { without, during },
    attack: {
      sent: attacked.sent.length,
      heldBack: attacked.heldBack,
      statuses: statusesOf(attacked.sent),
    },
    left: left(before, after),
    bounds: findBounds(attacked.sent, seconds, before, after),
  }
}

function attackWith(attack: Attack): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('attack.ts', import.meta.url), { workerData: attack })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}
