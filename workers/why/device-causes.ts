import type { FoundCause } from '../../protocol/causes.ts'
import { isOlderVersion } from '../../protocol/identity/index.ts'
import { checkCompatibility } from '../../protocol/manifest/index.ts'
import { profileOf } from '../compatibility.ts'
import type { ProjectFacts, SubscriptionFacts } from '../stores/why-facts.ts'
import { nodectlVersionMin } from '../version.ts'

type DeviceFacts = NonNullable<SubscriptionFacts['device']>

/** The causes that lie in the device of a subscription. */
export function deviceCauses(
  device: SubscriptionFacts['device'],
  owner: string,
  project: ProjectFacts | null,
): FoundCause[] {
  if (device === null || device.unboundAt !== null || device.owner !== owner)
    return [
      {
        code: 'not_bound',
        message: 'The device is not bound to the owner of the subscription, so committee sets leave it out.',
        since: device?.unboundAt ?? device?.boundAt ?? null,
      },
    ]
  return [
    ...faultCauses(device),
    ...linkCauses(device),
    ...versionCauses(device),
    ...(project === null ? [] : fitCauses(device, project)),
  ]
}

function faultCauses(device: DeviceFacts): FoundCause[] {
  const { bannedAt, banReason, nodeStatus, revokedAt, voteFaultAt, benchmarkFaultAt, nodeHealth } = device
  if (bannedAt !== null)
    return [
      {
        code: 'banned',
        message: 'An operator banned the device.',
        detail: banReason && `An operator banned the device: ${banReason}`,
        since: bannedAt,
      },
    ]
  if (nodeStatus === 'revoked')
    return [{ code: 'banned', message: 'An operator revoked the node of the device.', since: revokedAt }]
  const faults: FoundCause[] = [
    ...(voteFaultAt === null ? [] : [faulty('three of its votes within a day were not valid', voteFaultAt)]),
    ...(benchmarkFaultAt === null
      ? []
      : [faulty('its benchmark gives other receipts than the network', benchmarkFaultAt)]),
    ...(nodeHealth === 'faulty' ? [faulty('its node says so itself', null)] : []),
  ]
  return faults.slice(0, 1)
}

const faulty = (reason: string, since: number | null): FoundCause => ({
  code: 'faulty',
  message: `The device is faulty: ${reason}.`,
  since,
})

function linkCauses({ linkState, linkStateAt: since }: DeviceFacts): FoundCause[] {
  switch (linkState) {
    case 'offline':
      return [
        {
          code: 'offline',
          message:
            since === null
              ? 'The device has never been connected.'
              : 'The device is not connected to the hub.',
          since,
        },
      ]
    case 'idle':
      return [{ code: 'no_free_slots', message: 'The device is connected and offers no free slots.', since }]
    case 'online':
      return []
  }
}

const versionCauses = ({ nodectlVersion, profileUpdatedAt: since }: DeviceFacts): FoundCause[] =>
  nodectlVersion !== null && isOlderVersion(nodectlVersion, nodectlVersionMin)
    ? [
        {
          code: 'nodectl_outdated',
          message: `The device runs nodectl ${nodectlVersion}; the hub needs ${nodectlVersionMin} or newer.`,
          since,
        },
      ]
    : []

function fitCauses(device: DeviceFacts, { requirements }: ProjectFacts): FoundCause[] {
  if (device.profileUpdatedAt === null)
    return [
      {
        code: 'profile_missing',
        message:
          'The device has not reported its profile, so the hub cannot tell whether it meets the requirements.',
      },
    ]
  const { class: deviceClass, engine, hardware, score } = device
  const profile = profileOf({
    ...{ class: deviceClass, engine, hardware },
    benchmark: score === null ? null : { score },
  })
  const { missing } = checkCompatibility(profile, requirements)
  const asked: Record<(typeof missing)[number], string | number> = {
    device_class: requirements.device_classes.join(' or '),
    engine: requirements.engines.join(' or '),
    cpu_cores: requirements.cpu_cores,
    ram_mb: requirements.ram_mb,
    storage_mb: requirements.storage_mb,
    benchmark: requirements.min_benchmark,
  }
  const given: Record<string, string | number | null> = { ...profile, device_class: profile.class }
  const unmet = missing.map((name) => `${name} is ${given[name]}, and the project asks for ${asked[name]}`)
  return unmet.length === 0
    ? []
    : [
        {
          code: 'incompatible',
          message:
            'The device does not meet the requirements of the project. It may be too slow for its tasks.',
          detail: `The device does not meet the requirements of the project: ${unmet.join('; ')}.`,
          since: device.profileUpdatedAt,
        },
      ]
}
