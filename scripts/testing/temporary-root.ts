import { mkdirSync, rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'

/**
 * Keeps everything tests put into the system's folder for temporary files in one folder of their run, and removes it at
 * the end: hooks of a test file do not run when a filter leaves none of its tests.
 */
export default function setUp({ config }: TestProject): () => void {
  const root = config.env.TMPDIR!
  mkdirSync(root, { recursive: true })
  // A program that ends last may still be writing.
  return () => rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}
