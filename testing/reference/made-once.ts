import type { Stage } from './stage.ts'

const kept = new WeakMap<Stage, Map<string, Promise<unknown>>>()

/** Made once for all samples that change nothing about it. */
export function madeOnce<T>(stage: Stage, name: string, make: () => Promise<T>): Promise<T> {
  const made = kept.get(stage) ?? new Map<string, Promise<unknown>>()
  kept.set(stage, made)
  if (!made.has(name)) made.set(name, make())
  return made.get(name) as Promise<T>
}
