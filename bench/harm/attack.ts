/** The attack, in a thread of its own: making and signing its calls must not slow down those who measure. */
import { parentPort, workerData } from 'node:worker_threads'
import { calls, type HarmfulWallet, type Target } from './calls.ts'
import { send } from './load.ts'

export interface Attack {
  origin: string
  address: string
  rate: number
  seconds: number
  wallets: HarmfulWallet[]
  target: Target
}

const { origin, address, rate, seconds, wallets, target } = workerData as Attack
const weighted = calls.flatMap(([weight, make]) => Array<(typeof calls)[number][1]>(weight).fill(make))
const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

const result = await send({
  origin,
  rate,
  seconds,
  underWayMax: 200,
  next: () => ({ call: any(weighted)(any(wallets), target), address }),
})
parentPort?.postMessage(result)
