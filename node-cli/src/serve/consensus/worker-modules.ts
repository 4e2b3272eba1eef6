import { NodeFault } from '../../engine/index.ts'
import type { LoadedModule, ModuleLibrary } from '../execution/module-library.ts'
import type { HubFacts } from './hub-facts.ts'
import { refusal } from './refusal.ts'

/**
 * Finds a module here, else at the hub, whose artifact must have the address.
 *
 * @throws {@link Refusal}, {@link NotYet}
 */
export async function openModule(
  library: ModuleLibrary,
  hub: HubFacts,
  address: string,
): Promise<LoadedModule> {
  const known = await findWhole(library, address)
  if (known !== null) return known
  const added = await library.add(address, await hub.artifact(address))
  if (added.status === 'invalid')
    throw refusal('module_address', `The hub's artifact is not valid: ${added.message}`, added.rule)
  if (added.status === 'other_address')
    throw refusal(
      'module_address',
      `The hub's artifact has the address ${added.address}.`,
      'manifest_address',
    )
  return (await library.find(address))!
}

/** One that was damaged is fetched again. */
async function findWhole(library: ModuleLibrary, address: string): Promise<LoadedModule | null> {
  try {
    return await library.find(address)
  } catch (error) {
    if (error instanceof NodeFault) return null
    throw error
  }
}
