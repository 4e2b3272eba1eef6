import type { Finding } from '../../../conformance/findings.ts'
import { conformHub, type HubToTest } from '../../../conformance/hub/index.ts'
import { openArtifact } from '../../../protocol/hbc/artifact.ts'
import { UsageError } from '../cli/errors.ts'
import { namesIn, type nodeAtHubSettings } from '../cli/node-at-hub.ts'
import { requireNodeKey } from '../data-dir/node-key.ts'
import { execute } from '../engine/index.ts'
import type { readSettings } from '../serve/config.ts'
import { hubClient, learnProfile, parseHubUrl } from '../serve/hub/index.ts'

type Settings = ReturnType<typeof readSettings<(typeof nodeAtHubSettings)[number]>>

const run: HubToTest['run'] = async (bytes, fn, input, gasLimit) => {
  const { manifestAddress: address, wasm, manifest } = openArtifact(bytes)
  const { functions } = manifest
  const ran = await execute({
    address,
    module: { wasm, functions },
    function: fn,
    input,
    gasLimit,
    engine: 'auto',
    foreground: true,
  })
  const { success, output, events, gasUsed } = ran
  return { success, output: output ?? new Uint8Array(), events, gas_used: gasUsed }
}

/** Has a hub meet the scripted node. @param isNamed - Whether the data directory was named, so that its device gets offers. */
export async function testHub(
  settings: Settings,
  isNamed: boolean,
  project: string | null,
): Promise<Finding[]> {
  const { 'hub-url': url, 'data-dir': dataDir } = settings
  if (url === null)
    throw new UsageError('the address of the hub to test is missing: give --hub-url, or set NODE_HUB_URL')
  if (isNamed !== (project !== null))
    throw new UsageError(
      '--data-dir and --project belong together: a device, and a project that it works for',
    )
  const client = hubClient(parseHubUrl(url))
  const { profile } = await learnProfile(client, namesIn(settings))
  const device = project === null ? null : { seed: requireNodeKey(dataDir), project }
  return conformHub({ origin: client.origin, profile, device, run })
}
