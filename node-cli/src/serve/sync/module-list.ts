import { isBytes32, isObject, isUnsigned } from '../../../../protocol/encoding/index.ts'
import { PeerError } from '../peers/peer-client.ts'
import type { StateTarget } from './module-state.ts'

export const listPageMax = 200
/** More than any network has; what a peer lists is bounded anyway. */
export const modulesMax = 10_000

export type ListedModule = StateTarget

/** A list of modules in pages, read with the peer's help and on no more of its word than need be. @throws {@link PeerError} */
export async function readModuleList(
  read: (target: string) => Promise<unknown>,
): Promise<readonly ListedModule[]> {
  const listed: ListedModule[] = []
  let last = ''
  for (;;) {
    const page = readListPage(
      await read(`/sync/modules?limit=${listPageMax}${last && `&cursor=${last}`}`),
      last,
    )
    for (const module of page.modules) listed.push(module)
    if (listed.length > modulesMax) throw new PeerError(`it lists more than ${modulesMax} modules`)
    if (!page.hasMore) return listed
    last = listed.at(-1)!.address
  }
}

function readListPage(answer: unknown, after: string): { modules: ListedModule[]; hasMore: boolean } {
  const { modules, next_cursor: next } = isObject(answer) ? answer : {}
  if (!Array.isArray(modules) || modules.length > listPageMax) throw new PeerError('it lists no modules')
  const read = modules.map(readModule)
  if (read.some(({ address }, i) => address <= (i === 0 ? after : read[i - 1]!.address)))
    throw new PeerError('its modules do not ascend')
  if (next !== null && read.length === 0) throw new PeerError('its list goes on without modules')
  return { modules: read, hasMore: next !== null }
}

function readModule(value: unknown): ListedModule {
  const { address, sequence, state_root } = isObject(value) ? value : {}
  if (!isBytes32(address) || !isUnsigned(sequence) || !isBytes32(state_root))
    throw new PeerError('it lists a module without address, sequence or root')
  return { address, sequence, state_root }
}
