import { afterAll, beforeAll, describe, vi } from 'vitest'
import { hasAnvil } from '../testing/anvil.ts'
import { installClient, packClient } from '../testing/client-package.ts'
import { testClientPrograms } from '../testing/client-programs.ts'
import { testConformance } from '../testing/conformance-programs.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { shared } from '../testing/node/shared.ts'
import { referenceTests } from '../testing/reference/tests.ts'
import { type SampleNetwork, startSampleNetwork } from '../testing/sample-network.ts'

// Programs of others wait for nodes and blocks, each in the time the machine has for it.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

describe.skipIf(!hasAnvil)('clients of a local network', () => {
  let network: SampleNetwork
  beforeAll(async () => {
    network = await startSampleNetwork()
  })
  afterAll(() => network?.stop())

  const hub = () => network.origin
  const project = shared(async () => {
    const folder = temporaryFolder()
    return installClient(folder, await packClient(folder))
  })
  testClientPrograms(hub, project)

  const reference = referenceTests(hub, project, () => network)
  reference.rewards()

  testConformance(hub, () => network.minerFolder(3))

  reference.others()
})
