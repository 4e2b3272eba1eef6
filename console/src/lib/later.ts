import { flushSync, onMount } from 'svelte'

const waiting: (() => void)[] = []

/** Whether the page has come and is not all drawn: as long, whatever is drawn at once keeps a click waiting. It is so for the build. */
export const isStarting = (): boolean =>
  waiting.length > 0 || (globalThis.document?.getElementById('app')?.inert ?? true)

/** Does something soon, with what it draws, in a task of its own: clicks and keys are answered between two of them. @returns Gives it up. */
export function later(work: () => void): () => void {
  const item = { work }
  const doIt = () => item.work()
  waiting.push(doIt)
  if (waiting.length === 1) setTimeout(doNext)
  return () => {
    item.work = () => {}
  }
}

/** A component that is made while the page starts, draws what it has in its turn. @returns Whether that is at once. */
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
