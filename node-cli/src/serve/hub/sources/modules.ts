import type { LoadedModule, ModuleLibrary } from '../../execution/module-library.ts'
import { orMissing, type SourceFetch, SourceRefused } from './fetch.ts'

/**
 * A module of the library. If it is missing there, or damaged, it is fetched: the hub's artifact must have its address.
 *
 * @throws {@link SourceAway}, {@link SourceRefused}
 */
export async function fetchModule(
  fetch: SourceFetch,
  library: ModuleLibrary,
  address: string,
): Promise<LoadedModule> {
  const known = await library.findWhole(address)
  if (known !== null) return known
  const artifact = fetch.bytes('module', `/v1/modules/${address}/hbc`)
  const added = await library.add(address, await orMissing(artifact, `the hub has no module ${address}`))
  if (added.status === 'invalid')
    throw new SourceRefused(
      'module',
      added.rule,
      `the artifact that the hub has of the module ${address} is not valid: ${added.message}`,
    )
  if (added.status === 'other_address')
    throw new SourceRefused(
      'module',
      'manifest_address',
      `the artifact that the hub has of the module ${address} has the address ${added.address}`,
    )
  return (await library.find(address))!
}
