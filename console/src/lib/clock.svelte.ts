import { createSubscriber } from 'svelte/reactivity'

let ticks = $state(Date.now())
/** How far the time of the network is ahead of this machine's. */
let aheadMs = $state(0)
const subscribe = createSubscriber((update) => {
  ticks = Date.now()
  const timer = setInterval(() => {
    ticks = Date.now()
    update()
  }, 1_000)
  return () => clearInterval(timer)
})

/** Takes the time that the descriptor says, which is rounded down to the minute. @param seconds Unix time. */
export function setNow(seconds: number): void {
  const least = seconds * 1_000 - Date.now()
  // An answer takes a moment, and may come from a cache.
  aheadMs = Math.min(Math.max(aheadMs, least), least + 62_000)
}

/** The time of this machine in milliseconds, read again every second by whatever shows it. */
export function machineNow(): number {
  subscribe()
  return ticks
}

/** The time of the network, likewise. */
export const now = (): number => machineNow() + aheadMs
