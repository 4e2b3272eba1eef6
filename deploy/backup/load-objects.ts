import type { ObjectPart, Post } from './objects.ts'
import { pagesOf, readParts } from './objects.ts'
import { sentSince, withSent } from './sent-since.ts'

interface LoadOptions {
  readonly post: Post
  readonly backup: { readonly id: string; readonly block: number }
  /** The parts of all objects, see `dumpObjects`. */
  readonly file: string
  readonly rpcUrl: string
  readonly nowMs: number
}

const signerOf = (object: string): string | undefined => /^relayer \d+:(0x[0-9a-f]{40})$/.exec(object)?.[1]

/** Gives the objects of a fresh environment what they knew, and relayers what they have sent since. */
export async function loadObjects({ post, backup, file, rpcUrl, nowMs }: LoadOptions): Promise<void> {
  const load = (part: ObjectPart) => post('/admin/v1/objects/load', { ...part, backup: backup.id })
  // A relayer has few rows, and they belong together.
  const ofRelayers = new Map<string, ObjectPart[]>()
  for await (const part of readParts(file)) {
    if (signerOf(part.object) === undefined) await load(part)
    else ofRelayers.set(part.object, [...(ofRelayers.get(part.object) ?? []), part])
  }
  for (const [object, parts] of ofRelayers) {
    const sent = await sentSince(rpcUrl, signerOf(object)!, backup.block)
    for (const part of withSent(parts, sent, nowMs)) await load(part)
  }
}

/** Has all objects go to work. */
export async function resumeObjects(post: Post, reason: string): Promise<void> {
  for await (const _ of pagesOf(post, '/admin/v1/objects/resume', { reason }));
}
