import type { Profile } from '../../protocol/identity/index.ts'
import { hubClauses } from '../clauses.ts'
import { type Finding, Findings } from '../findings.ts'
import { HubUnderTest } from './client.ts'
import { playOffers, type RunTask } from './offers.ts'
import { bindDevice, playBasics, playLink, playRefusals, registerDevice } from './script.ts'

export interface HubToTest {
  readonly origin: string
  readonly profile: Profile
  /** A device in the committees of a project; without one the clauses about offers are not seen. */
  readonly device: { readonly seed: string; readonly project: string } | null
  readonly run: RunTask
}

/** Has a hub meet a scripted node. @returns What was seen of each clause. */
export async function conformHub({ origin, profile, device, run }: HubToTest): Promise<Finding[]> {
  const findings = new Findings(hubClauses)
  const hub = new HubUnderTest(origin, profile)
  const { paramsHash, maxSkew } = await playBasics(hub, findings)
  const seed = await bindDevice(hub)
  await playRefusals(hub, findings, seed, maxSkew)
  await playLink(hub, findings, seed, paramsHash)
  if (device !== null) {
    await registerDevice(hub, device.seed)
    await playOffers(hub, findings, device.seed, device.project, run)
  }
  return findings.all()
}
