import { onDestroy } from 'svelte'
import { beforeNavigate } from '$app/navigation'
import { keepsUnsaved } from '../unsaved.ts'

/** Asks before a component loses something, by a link or by a change of the account. The browser asks when the tab is closed. */
export function guard(question: () => string | null): void {
  onDestroy(keepsUnsaved(question))
  beforeNavigate(({ type, cancel }) => {
    const asked = question()
    if (asked !== null && (type === 'leave' || !confirm(asked))) cancel()
  })
}
