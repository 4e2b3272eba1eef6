import path from 'node:path'
import { bondAll, type Device, makeDevice, waitForBond } from '../../localnet/sample/devices.ts'
import { sampleCollateralWei } from '../../localnet/sample/manifest.ts'
import type { Network } from '../../scripts/hub/network.ts'
import type { Wallet } from '../../scripts/hub/wallet.ts'
import { inTokens } from '../amounts.ts'
import { print, printStep } from '../print.ts'
import { printedRelay } from '../printed-calls.ts'
import type { Cluster } from './cluster.ts'

/** A device with its data directory. */
export interface PlacedDevice extends Device {
  readonly dataDir: string
}

/** Has a miner bind a device for each name, and stake on the project with it. */
export async function makeDevices(
  network: Network,
  cluster: Cluster,
  miner: Wallet,
  projectId: string,
  names: readonly string[],
): Promise<PlacedDevice[]> {
  printStep('Make a key for each device, and bind it to the wallet: both sign one text')
  const devices: PlacedDevice[] = []
  for (const name of names) {
    const dataDir = path.join(cluster.folder, 'devices', name)
    devices.push({ ...(await makeDevice(network, miner, dataDir)), dataDir })
    print('·', `device ${devices.at(-1)?.nodeId}`)
  }
  const [first, ...others] = devices
  if (first === undefined) return devices

  printStep(
    `Stake ${inTokens(network, sampleCollateralWei)} with the first by signature: the hub pays for it`,
  )
  await bondBySignature(network, miner, projectId, first)

  printStep('Stake as much with each of the others, by transactions that the wallet sends itself')
  await bondAll(cluster.network, miner, projectId, others)
  print('=', `${devices.length} devices have ${inTokens(network, sampleCollateralWei)} each in the project`)
  return devices
}

async function bondBySignature(network: Network, miner: Wallet, projectId: string, device: Device) {
  const { client, address: owner } = miner
  const amount = String(sampleCollateralWei)
  const { subscription, bond } = await client.call('POST /v1/subscriptions', {
    body: { project_id: projectId, node_id: device.nodeId, collateral: amount },
  })
  const params = { path: { subscription_id: subscription.subscription_id } }
  const wanted = { owner, projectId, nodeKey: device.publicKey, amount }
  await printedRelay(network, miner, bond, wanted, (body) =>
    client.call('POST /v1/subscriptions/{subscription_id}/bond', { ...params, body }),
  )
  await waitForBond(miner, projectId, device)
}
