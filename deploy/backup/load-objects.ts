import { type ObjectPart, type Post, pagesOf, readParts } from './objects.ts'
import { sentSince, withSent } from './sent-since.ts'

interface RelayerOptions {
  /** The parts of all objects, see `dumpObjects`. */
  readonly file: string
  /** The newest block before they were read. */
  readonly block: number
  readonly rpcUrls: readonly string[]
  readonly nowMs: number
}

const signerOf = (object: string): string | undefined => /^relayer \d+:(0x[0-9a-f]{40})$/.exec(object)?.[1]

/** The accounts of the relayers that a backup has. */
export async function relayersIn(file: string): Promise<Set<string>> {
  const accounts = new Set<string>()
  for await (const { object } of readParts(file)) {
    const signer = signerOf(object)
    if (signer !== undefined) accounts.add(signer)
  }
  return accounts
}

/** The parts of relayers, with what these have sent since. @throws {@link CommandError} while that is not known. */
export async function readRelayers({ file, block, rpcUrls, nowMs }: RelayerOptions): Promise<ObjectPart[]> {
  const parts: ObjectPart[] = []
  for await (const part of readParts(file)) if (signerOf(part.object) !== undefined) parts.push(part)
  const loaded: ObjectPart[] = []
  // A relayer has few rows, and they belong together.
  for (const [object, own] of Map.groupBy(parts, (part) => part.object))
    loaded.push(...withSent(own, await sentSince(rpcUrls, signerOf(object)!, block), nowMs))
  return loaded
}

/** Gives the objects of a fresh environment what they knew. @param relayers - As {@link readRelayers} has them. */
export async function loadObjects(
  post: Post,
  backup: string,
  file: string,
  relayers: readonly ObjectPart[],
): Promise<void> {
  const load = (part: ObjectPart) => post('/admin/v1/objects/load', { ...part, backup })
  for await (const part of readParts(file)) if (signerOf(part.object) === undefined) await load(part)
  for (const part of relayers) await load(part)
}

/** Has all objects go to work. */
export async function resumeObjects(post: Post, reason: string): Promise<void> {
  for await (const _ of pagesOf(post, '/admin/v1/objects/resume', { reason }));
}
