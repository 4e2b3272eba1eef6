import { createSubscriber } from 'svelte/reactivity'

let ticks = $state(Date.now())
const subscribe = createSubscriber((update) => {
  const timer = setInterval(() => {
    ticks = Date.now()
    update()
  }, 1_000)
  return () => clearInterval(timer)
})

/** The time in milliseconds, read again every second by whatever shows it. */
export function now(): number {
  subscribe()
  return Math.max(ticks, 0)
}
