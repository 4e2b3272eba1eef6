import { flushSync, onMount } from 'svelte'

const waiting: (() => void)[] = []

/** Whether the page is not all drawn yet: until it is, each part that is drawn at once keeps clicks waiting. True in the build. */
export const isStarting = (): boolean =>
  waiting.length > 0 || (globalThis.document?.getElementById('app')?.inert ?? true)

/** Runs `work` soon and draws its changes in its own task: clicks and keys are answered between two tasks. @returns Cancels it. */
export function later(work: () => void): () => void {
  const item = { work }
  const doIt = () => item.work()
  waiting.push(doIt)
  if (waiting.length === 1) setTimeout(doNext)
  return () => {
    item.work = () => {}
  }
}

/** A component that is made while the page starts draws its content in its turn. @returns Whether that is at once. */
export function isItsTurn(come: () => void): boolean {
  if (!isStarting()) return true
  onMount(() => later(come))
  return false
}

function doNext(): void {
  try {
    // The work may draw parts that wait for their own turn.
    flushSync(waiting[0])
  } finally {
    waiting.shift()
    if (waiting.length > 0) setTimeout(doNext)
  }
}

/** The next task of the page: clicks and keys are answered before it. @returns True, for `{#if await turn()}`. */
export async function turn(): Promise<true> {
  // While the build draws, no time passes: nothing that a screen asks for fails meanwhile.
  if (globalThis.document) await (globalThis.scheduler?.yield?.() ?? new Promise((go) => setTimeout(go)))
  return true
}

/** Whether the page was drawn for the build: what depends on who looks was not. */
export const isDrawn = globalThis.document?.getElementById('content') !== null
