import { createSubscriber } from 'svelte/reactivity'

let ticks = $state(Date.now())
/** Of the network before this machine. */
let aheadMs = $state(0)
const subscribe = createSubscriber((update) => {
  ticks = Date.now()
  const timer = setInterval(() => {
    ticks = Date.now()
    update()
  }, 1_000)
  return () => clearInterval(timer)
})

/** Takes the time that the hub says. @param seconds Unix time. */
export function setNow(seconds: number): void {
  const ahead = seconds * 1_000 - Date.now()
  // Answers take a moment, and say whole seconds.
  if (Math.abs(ahead - aheadMs) > 2_000) aheadMs = ahead
}

/** The time of the network in milliseconds, read again every second by whatever shows it. */
export function now(): number {
  subscribe()
  return ticks + aheadMs
}
